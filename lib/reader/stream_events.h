/* SPDX-License-Identifier: BSD-2-Clause */
/* What a reader on a stream has in place of input to decode. */
#ifndef LIB_READER_STREAM_EVENTS_H
#define LIB_READER_STREAM_EVENTS_H

#include <iotrace/stream.h>

#include "decoder.h"

struct stream_events;

/* Takes over the stream in every case. Returns NULL if out of memory. */
struct stream_events *stream_events_new(struct iot_stream *stream, const struct reader_settings *s);
/* NULL is ignored. */
void stream_events_free(struct stream_events *s);

/* As decoder_pull: adds events to the batch. d counts them, and has the definitions. */
ssize_t stream_events_pull(struct stream_events *s, struct decoder *d, struct event_batch *b);

/*
 * Sets *start_ns to the start of the next event if it is a record, to -1 otherwise. Returns 1, 0 at
 * the end, or a negative status.
 */
int stream_events_peek(struct stream_events *s, struct decoder *d, int64_t *start_ns);
/* Pulls an event that a seek passes; CPU clocks will count from there. Returns as pull does. */
ssize_t stream_events_skip(struct stream_events *s, struct decoder *d, struct iot_event *ev);
/* Ends a seek. */
void stream_events_arrive(struct stream_events *s);

/* Returns a hash of the first events, which remain to be pulled; not 0. */
uint64_t stream_events_id(struct stream_events *s, struct decoder *d);
bool stream_events_started(const struct stream_events *s);
uint64_t stream_events_tick(const struct stream_events *s);
/* Returns the start of the last record pulled. */
int64_t stream_events_last_start_ns(const struct stream_events *s);
void stream_events_progress(const struct stream_events *s, uint64_t *done, uint64_t *total);

#endif
