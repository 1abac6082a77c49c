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
	BLOCK_RECORDS = 4096,
	BLOCK_TEXT = 1 << 18,    /* a chunk ends when it has so many bytes of text, ... */
	BLOCK_DIRECTIVES = 4096, /* ... or so many events that are no records */
	WORKER_BLOCKS = 144,     /* more than a part with the default sync= needs */
	PARALLEL_THREADS = 16,   /* at most */

	FOLD_EVENTS = 512, /* counted at once */
	FOLD_BLOCKS = 2,   /* of a worker: one in work, one to be joined */
	FOLD_DIRECTIVES = 1 << 18,
	FOLD_TEXT = 1 << 24, /* what a part may tell of names; with more it is not for threads */
};

/* An event that is no record, behind `place` records of its chunk. */
struct other_event {
	struct iot_event ev; /* text.data is set when it is delivered */
	size_t place, text_at;
	uint64_t line; /* of the part, from 1 */
};

/* Of a part that is counted, not delivered. */
struct counted_segment {
	void *part;        /* what iot_fold.begin made; NULL: the records are in the chunk */
	uint64_t others;   /* events that are no records; only those that tell names are kept */
	uint64_t other_at; /* the record behind the last of them */
	uint64_t other_line;
	int64_t start_ns; /* of the last record */
	uint64_t
	    cpu_bits; /* set in how far any CPU clock was from where it stood at the beginning */
};

/* What a worker hands over. Numbers count from the part's beginning up to the chunk's end. */
struct decoded_block {
	struct decoded_block *next;
	uint64_t part;
	size_t count;
	uint64_t lines, text_bytes, stored;
	bool odd;  /* the part cannot go on here */
	bool last; /* of its part: */
	bool ended;
	uint64_t reported_comments;
	struct counted_segment counted;
	struct cpu_clock *clocks; /* malloced */
	size_t clock_count;

	struct other_event *others;
	size_t other_count, other_capacity;
	char *text;
	size_t text_used, text_capacity;
	struct iot_record
	    *unnamed; /* first records of files that no %file of the part tells about */
	size_t unnamed_count, unnamed_capacity;
	bool failed; /* no memory for the above */
	struct iot_record records[BLOCK_RECORDS];
};

struct segment {
	uint64_t number;
	uint64_t at, end; /* in the file */
	bool has_end;     /* a %sync stands there; else the trace ends with the part */
	uint64_t record;  /* its first one */
	struct sync_directive end_sync;
};

struct worker {
	struct parallel *parallel;
	pthread_t thread;
	struct iot_event *events; /* on their way to be counted */
	/* Under the mutex: */
	struct decoded_block *head, **tail; /* handed over, in order */
	struct decoded_block *free;
	size_t made;
};

struct parallel {
	struct stored_input source;
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
	struct frames *frames;
	struct segment planned;
	bool all_planned;

	struct worker workers[PARALLEL_THREADS];
	size_t worker_count;
};

/* The threads; NULL: there are none to be had, or it does not pay. What is set from `source` to `fold` is taken over. */
struct parallel *parallel_start(const struct parallel *how, enum iot_compression packed,
				size_t threads);
void parallel_stop(struct parallel *p); /* and frees; NULL is fine */

/* Waits for the next chunk of a part; and gives one back. */
struct decoded_block *parallel_next_block(struct parallel *p, uint64_t part, struct worker **from);
void parallel_give_back(struct worker *from, struct decoded_block *c);

struct decoded_block *decoded_block_new(void);
void decoded_block_free_all(struct decoded_block *c); /* and those behind it */
void decoded_block_clear(struct decoded_block *c);    /* as it was made, but for its memory */

/* For the reader of a part: what would be delivered, and a record whose file has no name. */
void decoded_block_add_directive(struct decoded_block *c, const struct iot_reader *r,
				 const struct iot_event *ev, size_t place);
void decoded_block_add_undefined(struct decoded_block *c, const struct iot_record *rec);

/* The caller's side: whether to go on side by side; the next records or events; the end of it. */
bool reader_go_parallel(struct iot_reader *r, const struct iot_fold *fold);
ssize_t reader_parallel_pull(struct iot_reader *r, struct event_batch *b);
/* Takes and joins the next part that was counted; IOT_OK also if this reader decodes from here on. */
int reader_fold_parallel(struct iot_reader *r, const struct iot_fold *fold);
void reader_end_parallel(struct iot_reader *r);
/* Bytes of the file done. */
uint64_t reader_parallel_offset(const struct iot_reader *r);

#endif
