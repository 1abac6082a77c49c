/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Streams: events that are pulled in batches through stages.
 *
 *	struct iot_stream *s = iot_stream_of_reader(reader);
 *	s = iot_stream_prefetch(s);                       (a stage; filter.h has more)
 *	struct iot_batch *b = iot_batch_new(IOT_BATCH_EVENTS);
 *	while ((status = iot_stream_next(s, b)) > 0)
 *		use(b->events, b->count);
 *	if (status < 0)
 *		fprintf(stderr, "%s\n", iot_stream_error(s));
 *	iot_batch_free(b);
 *	iot_stream_free(s);
 *
 * A stage owns the stream before it (its upstream): iot_stream_free on the last stage frees the
 * whole pipeline. The functions that add a stage take over the upstream in every case: if they fail
 * or the upstream is NULL, they free it and return NULL, so a pipeline is built without checks
 * between its stages.
 *
 * Errors: a stage that keeps events back delivers those that precede an error first. Once a stream
 * has failed or ended, it returns the same result again.
 *
 * Threads: a stream, with all stages before it, may be used by one thread at a time.
 */
#ifndef IOTRACE_STREAM_H
#define IOTRACE_STREAM_H

#include <iotrace/iotrace.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Batches */

enum { IOT_BATCH_EVENTS = 1024 }; /* the usual capacity */

/*
 * The events of one pull. The caller may change them, and drop events by moving later ones forward.
 * Only iot_batch_new makes batches: a pull may exchange `events` and `capacity` with another one.
 * Their text is valid until the next pull from the same stream, or, after iot_batch_keep_text, as
 * long as the batch is not filled again.
 */
struct iot_batch {
	struct iot_event *events;
	size_t count;
	size_t capacity;
	/* no later event of the stream starts before it; INT64_MIN if unknown */
	int64_t watermark_ns;
	uint64_t bytes_done;  /* stored bytes that the source has read */
	uint64_t bytes_total; /* of how many; 0 if unknown */
};

/* Returns an empty batch for `capacity` (>= 1) events; NULL if out of memory. */
IOT_API struct iot_batch *iot_batch_new(size_t capacity);
IOT_API void iot_batch_free(struct iot_batch *b);
/* Copies the text of all events into the batch. Returns IOT_OK or IOT_ENOMEM. */
IOT_API IOT_USE_RESULT int iot_batch_keep_text(struct iot_batch *b);

/* Streams */

struct iot_stream;

/*
 * Fills b with the next events. Returns 1 if it did, 0 at the end, or a negative status. A filled
 * batch can have no events: then only its other members have changed.
 */
IOT_API IOT_USE_RESULT int iot_stream_next(struct iot_stream *s, struct iot_batch *b);
/*
 * Returns a sentence with the position, what was found and what was expected; "" before
 * iot_stream_next has returned an error.
 */
IOT_API const char *iot_stream_error(const struct iot_stream *s);
/* Frees the stream and all stages before it. NULL is ignored. */
IOT_API void iot_stream_free(struct iot_stream *s);

/* The events of a reader, which remains the caller's and must outlive the stream. */
IOT_API struct iot_stream *iot_stream_of_reader(struct iot_reader *r);
/*
 * Opens a reader on the events of a stream instead of bytes, as if a file with these events were
 * read from a pipe: names of objects, facts, forward seeks and folds work alike. IOT_SET_TICK_NS is
 * the tick of that file, to which times are rounded down; default 1. Progress is reported by the
 * stream: a total does not mean that seeks backwards are possible. The reader takes over the
 * stream in every case. Returns as iot_reader_open.
 */
IOT_API IOT_USE_RESULT int iot_reader_open_stream(struct iot_reader *r, struct iot_stream *s);
/*
 * Runs the stages before it on a thread, some batches ahead. With one processor, or if no thread
 * can be created, it runs them in the caller's thread.
 */
IOT_API struct iot_stream *iot_stream_prefetch(struct iot_stream *upstream);
/*
 * Writes all events of a stream. Returns IOT_OK at the end of the stream; otherwise the status of
 * the stream, whose error then is not "", or of the writer.
 */
IOT_API IOT_USE_RESULT int iot_stream_write(struct iot_stream *s, struct iot_writer *w);

/* Stages of your own */

/*
 * next		fills b, whose count is 0, with up to b->capacity events, and its other members; a
 *		filter first pulls from iot_stream_upstream(self), often into b itself. Returns as
 *		iot_stream_next; it is not called again after the end or an error
 * close	frees the context; the upstream is freed later. May be NULL
 */
struct iot_stage {
	int (*next)(void *context, struct iot_stream *self, struct iot_batch *b);
	void (*close)(void *context);
};

/*
 * Adds a stage; `stage` must outlive it. upstream is NULL for a source. Returns NULL if out of
 * memory, after it has freed the upstream and closed the context.
 */
IOT_API struct iot_stream *iot_stream_new(struct iot_stream *upstream,
					  const struct iot_stage *stage, void *context);
IOT_API struct iot_stream *iot_stream_upstream(struct iot_stream *s);
/* Records the error of a stage, for its next to return: `return iot_stream_fail(self, ...)`. */
IOT_API int iot_stream_fail(struct iot_stream *self, int status, const char *sentence);

#ifdef __cplusplus
}
#endif

#endif
