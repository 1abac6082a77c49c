/* SPDX-License-Identifier: BSD-2-Clause */
/* A binary heap of events, in order of time (in any unit), then of their numbers. */
#ifndef LIB_TIMING_EVENT_QUEUE_H
#define LIB_TIMING_EVENT_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct queue_event {
	int64_t time;
	uint64_t number;
	uint64_t data;
};

struct event_queue {
	struct queue_event *events;
	size_t count, capacity;
};

/* Returns false if out of memory. Start with {0}. */
bool event_queue_add(struct event_queue *q, struct queue_event event);
/* Removes and returns the first event of a queue that is not empty. */
struct queue_event event_queue_take(struct event_queue *q);
void event_queue_free(struct event_queue *q);

/* Returns the time of the first event, or INT64_MAX if the queue is empty. */
static inline int64_t event_queue_next(const struct event_queue *q)
{
	return q->count > 0 ? q->events[0].time : INT64_MAX;
}

#endif
