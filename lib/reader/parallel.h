/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of a trace decoded side by side, delivered in order. A part goes from one %sync to another, and is read by a
 * reader of its own on a thread; the caller's reader takes the records in order, adds the CPU clocks up to where the
 * part begins, and keeps the names in force. At anything out of the ordinary (damage, a name from a part before, a
 * late %trace lacks=) the threads are stopped, and the caller's reader goes on alone from exactly there: so what is
 * delivered and told does not depend on the number of threads.
 *
 * Or nothing is delivered but counted on the threads (iot_reader_fold): then a part is one chunk without records, and
 * the caller's reader only keeps clocks, names and numbers.
 */
#ifndef LIB_READER_PARALLEL_H
#define LIB_READER_PARALLEL_H

#include <pthread.h>

#include "seek_points.h"
#include "lib/codec/codec.h"
#include "reader_internal.h"

enum {
	IOT_CHUNK_RECORDS = 4096,
	IOT_CHUNK_TEXT = 1 << 18,  /* a chunk ends when it has so many bytes of text, ... */
	IOT_CHUNK_OTHERS = 4096,   /* ... or so many events that are no records */
	IOT_WORKER_CHUNKS = 144,   /* more than a part with the default sync= needs */
	IOT_PARALLEL_THREADS = 16, /* at most */

	IOT_FOLD_EVENTS = 512, /* counted at once */
	IOT_FOLD_CHUNKS = 2,   /* of a worker: one in work, one to be joined */
	IOT_FOLD_OTHERS = 1 << 18,
	IOT_FOLD_TEXT =
	    1 << 24, /* what a part may tell of names; with more it is not for threads */
};

/* An event that is no record, behind `place` records of its chunk. */
struct iot_other {
	struct iot_event ev; /* text.data is set when it is delivered */
	size_t place, text_at;
	uint64_t line; /* of the part, from 1 */
};

/* Of a part that is counted, not delivered. */
struct iot_counted {
	void *part;        /* what iot_fold.begin made; NULL: the records are in the chunk */
	uint64_t others;   /* events that are no records; only those that tell names are kept */
	uint64_t other_at; /* the record behind the last of them */
	uint64_t other_line;
	int64_t start_ns; /* of the last record */
	uint64_t
	    cpu_bits; /* set in how far any CPU clock was from where it stood at the beginning */
};

/* What a worker hands over. Numbers count from the part's beginning up to the chunk's end. */
struct iot_chunk {
	struct iot_chunk *next;
	uint64_t part;
	size_t count;
	uint64_t lines, text_bytes, stored;
	bool odd;  /* the part cannot go on here */
	bool last; /* of its part: */
	bool ended;
	uint64_t told_comments;
	struct iot_counted counted;
	struct iot_clock *clocks; /* malloced */
	size_t clock_count;

	struct iot_other *others;
	size_t other_count, other_room;
	char *text;
	size_t text_used, text_room;
	struct iot_record
	    *unnamed; /* first records of files that no %file of the part tells about */
	size_t unnamed_count, unnamed_room;
	bool failed; /* no memory for the above */
	struct iot_record records[IOT_CHUNK_RECORDS];
};

struct iot_part {
	uint64_t number;
	uint64_t at, end; /* in the file */
	bool has_end;     /* a %sync stands there; else the trace ends with the part */
	uint64_t record;  /* its first one */
	struct iot_sync end_sync;
};

struct iot_worker {
	struct iot_parallel *parallel;
	pthread_t thread;
	struct iot_event *events; /* on their way to be counted */
	/* Under the mutex: */
	struct iot_chunk *head, **tail; /* handed over, in order */
	struct iot_chunk *free;
	size_t made;
};

struct iot_parallel {
	struct iot_stored source;
	uint64_t part_size; /* at least */
	uint64_t read_size, window_max, memory_max, tick_ns;
	unsigned base, lacks;
	bool verify, verified;
	uint64_t held_max, sync;
	const struct iot_fold *fold; /* NULL: records are delivered */

	pthread_mutex_t mutex;
	pthread_cond_t full, empty; /* a chunk was handed over; was given back */
	bool stop;

	pthread_mutex_t planning; /* the next part: */
	struct iot_frames *frames;
	struct iot_part planned;
	bool all_planned;

	struct iot_worker workers[IOT_PARALLEL_THREADS];
	size_t worker_count;
};

/* The threads; NULL: there are none to be had, or it does not pay. What is set from `source` to `fold` is taken over. */
struct iot_parallel *iot_parallel_start(const struct iot_parallel *how, enum iot_compression packed,
					size_t threads);
void iot_parallel_stop(struct iot_parallel *p); /* and frees; NULL is fine */

/* Waits for the next chunk of a part; and gives one back. */
struct iot_chunk *iot_parallel_take(struct iot_parallel *p, uint64_t part,
				    struct iot_worker **from);
void iot_parallel_give_back(struct iot_worker *from, struct iot_chunk *c);

struct iot_chunk *iot_chunk_new(void);
void iot_chunk_free_all(struct iot_chunk *c); /* and those behind it */
void iot_chunk_clear(struct iot_chunk *c);    /* as it was made, but for its memory */

/* For the reader of a part: what would be delivered, and a record whose file has no name. */
void iot_chunk_add_other(struct iot_chunk *c, const struct iot_reader *r,
			 const struct iot_event *ev, size_t place);
void iot_chunk_add_unnamed(struct iot_chunk *c, const struct iot_record *rec);

/* The caller's side: whether to go on side by side; the next records or events; the end of it. */
bool iot_reader_go_parallel(struct iot_reader *r, const struct iot_fold *fold);
ssize_t iot_reader_pull_parallel(struct iot_reader *r, struct iot_batch *b);
/* Takes and joins the next part that was counted; IOT_OK also if this reader decodes from here on. */
int iot_reader_fold_parallel(struct iot_reader *r, const struct iot_fold *fold);
void iot_reader_end_parallel(struct iot_reader *r);
/* Bytes of the file done. */
uint64_t iot_reader_parallel_place(const struct iot_reader *r);

#endif
