/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by the files of the reader. reader.c is the public handle; it reads with its decoder, with
 * threads (parallel.c), or from a stream (stream_events.c); seek.c moves to a record or time.
 */
#ifndef LIB_READER_READER_INTERNAL_H
#define LIB_READER_READER_INTERNAL_H

#include "decoder.h"
#include "seek_points.h"
#include "stream_events.h"

/* Events to be delivered before the next ones read, after a seek. */
struct deferred_events {
	struct iot_event *events;
	size_t count, capacity, next;
	size_t borrowed; /* number of leading events whose texts are in the definition table */
};

/* Lines at the head of a trace that apply to all of its parts. */
struct range_head {
	char *lines; /* of %iotrace and %trace, each with LF */
	size_t size;
	uint64_t epoch_ns, trace_id;
	bool timed; /* an operation with a time has been read */
	bool found; /* a range has been found, and nothing else read */
	bool full;  /* lines are missing: too many, or out of memory */
};

struct iot_reader {
	struct reader_settings settings;
	struct decoder decoder;
	struct stream_events *stream;   /* read instead of the decoder's input; or NULL */
	struct parallel_cursor *cursor; /* the output of the threads; NULL: the decoder reads */
	bool parallel_tried;
	uint64_t extra_stored; /* to be added to the bytes that the bufreader has read */
	struct seek_points *points;
	struct deferred_events deferred;
	struct range_head head;
	char next[FRAMING_MAX]; /* the %sync after a range */
};

/* seek.c */

/*
 * Reads on to the record or time; starts at a seek point if the input is stored. Returns the
 * status.
 */
int reader_seek_to(struct iot_reader *r, const struct stored_input *source, enum iot_seek what,
		   uint64_t value);
/* The same for a stream that has not been read. */
int reader_seek_stream(struct iot_reader *r, enum iot_seek what, uint64_t value);
/*
 * Begins at a seek point, with zero clocks and counts, and without definitions; or at byte 0 if
 * NULL. Its %sync is read next.
 */
int reader_enter(struct iot_reader *r, const struct seek_point *at);
/* The same where the input is, after its head was read from elsewhere. */
int reader_restart(struct iot_reader *r);
/* Applies the next line. */
void reader_pass_line(struct iot_reader *r);
/* Makes r->points. Returns a status. */
int reader_make_points(struct iot_reader *r, const struct stored_input *source);
/* Reports a search for seek points that failed. */
int reader_failed_search(struct iot_reader *r, int status);
/* Returns up to max events that a seek has deferred; 0 if none. */
size_t reader_take_deferred(struct iot_reader *r, struct iot_event *out, size_t max);
void reader_drop_deferred(struct iot_reader *r);

/* parallel.c */

/* Starts parallel reading if possible. */
bool reader_go_parallel(struct iot_reader *r, const struct iot_fold *fold);
/*
 * Returns the next records or events of the threads. Returns 0 at the end; also if the decoder
 * continues serially, and then the cursor is NULL.
 */
ssize_t reader_parallel_pull(struct iot_reader *r, struct event_batch *b);
/*
 * Waits for the next accumulated segment and joins it. Returns IOT_OK also if the decoder continues
 * serially.
 */
int reader_fold_parallel(struct iot_reader *r, const struct iot_fold *fold);
void reader_end_parallel(struct iot_reader *r);
/* Returns the bytes of the file processed. */
uint64_t reader_parallel_offset(const struct iot_reader *r);

#endif
