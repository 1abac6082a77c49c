/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes segments of a trace in parallel and delivers them in order. A segment extends from one
 * %sync to another, and a thread reads it with a decoder of its own; the reader accepts the
 * records in order, adds the CPU clocks at the beginning of the segment, and maintains the current
 * definitions. At any irregularity (damage, a definition from an earlier segment, a late %trace
 * lacks=) the threads are stopped, and the reader's decoder resumes serially at exactly that point:
 * so results and errors do not depend on the number of threads.
 *
 * With iot_reader_fold, events are accumulated on the threads instead of delivered: then a segment
 * is one block without records, and the reader only maintains clocks, definitions and
 * counts.
 */
#ifndef LIB_READER_PARALLEL_H
#define LIB_READER_PARALLEL_H

#include <pthread.h>

#include "lib/codec/codec.h"
#include "reader_internal.h"
#include "seek_points.h"

enum {
	BLOCK_RECORDS = 4096,
	BLOCK_TEXT = 1 << 18,    /* a block ends when it has this many bytes of text, ... */
	BLOCK_DIRECTIVES = 4096, /* ... or this many events other than records */
	WORKER_BLOCKS = 144,     /* more than a segment with the default sync= needs */
	PARALLEL_THREADS = 16,   /* maximum */

	FOLD_EVENTS = 512, /* events accumulated per call */
	FOLD_BLOCKS = 2,   /* blocks per worker: one in use, one waiting to be joined */
	FOLD_DIRECTIVES = 1 << 18,
	/* maximum text of definitions in a segment; with more it is decoded serially */
	FOLD_TEXT = 1 << 24,
};

/* An event other than a record, after `place` records of its block. */
struct other_event {
	struct iot_event ev; /* text.data is set on delivery */
	size_t place, text_at;
	uint64_t line; /* line of the segment, from 1 */
};

/* The part of a segment that is accumulated, not delivered. */
struct counted_segment {
	/* the accumulator from iot_fold.begin; NULL: the records are in the block */
	void *part;
	uint64_t others;   /* number of events other than records; only definitions are kept */
	uint64_t other_at; /* the record after the last of them */
	uint64_t other_line;
	int64_t start_ns; /* start of the last record */
	/* OR of the differences of CPU clocks to their values at the beginning */
	uint64_t cpu_bits;
};

/* The output of a worker. Numbers count from the segment's beginning to the block's end. */
struct decoded_block {
	struct decoded_block *next;
	uint64_t segment;
	size_t count;
	uint64_t lines, text_bytes, stored;
	bool needs_serial; /* the segment cannot be continued here in parallel */
	bool last;         /* the last block of its segment; then: */
	bool ended;
	uint64_t reported_comments;
	struct counted_segment counted;
	struct cpu_clock *clocks; /* allocated with malloc */
	size_t clock_count;

	struct other_event *others;
	size_t other_count, other_capacity;
	char *text;
	size_t text_used, text_capacity;
	struct iot_record *unnamed; /* first records of files without a %file in the segment */
	size_t unnamed_count, unnamed_capacity;
	bool failed; /* out of memory for the above */
	struct iot_record records[BLOCK_RECORDS];
};

struct segment {
	uint64_t number;
	uint64_t at, end; /* in the stored input */
	bool has_end;     /* a %sync is at `end`; otherwise the trace ends with the segment */
	uint64_t record;  /* number of its first record */
	struct sync_directive end_sync;
};

struct worker {
	struct parallel *parallel;
	pthread_t thread;
	struct iot_event *events; /* events to be accumulated */
	/* Protected by the mutex: */
	struct decoded_block *head, **tail; /* finished blocks, in order */
	struct decoded_block *free;
	size_t made;
};

struct parallel {
	struct stored_input source;
	uint64_t segment_size;           /* minimum */
	struct reader_settings settings; /* of the workers' decoders */
	unsigned lacks;
	uint64_t interval_records;   /* sync= of %iotrace */
	uint64_t version;            /* of the format */
	const struct iot_fold *fold; /* NULL if records are delivered */

	pthread_mutex_t mutex;
	pthread_cond_t full, empty; /* a block was finished; a block was given back */
	bool stop;

	pthread_mutex_t planning; /* protects the next segment: */
	struct seek_points *points;
	struct segment planned;
	bool all_planned;

	struct worker workers[PARALLEL_THREADS];
	size_t worker_count;
};

/*
 * Starts the threads. Returns NULL if none can be started or it would not pay. The members from
 * `source` to `fold` are copied from *how.
 */
struct parallel *parallel_start(const struct parallel *how, enum iot_compression packed,
				size_t threads);
void parallel_stop(struct parallel *p); /* Stops and frees; NULL is ignored. */

/* Wait for the next block of a segment; give one back. */
struct decoded_block *parallel_next_block(struct parallel *p, uint64_t segment,
					  struct worker **from);
void parallel_give_back(struct worker *from, struct decoded_block *block);

#endif
