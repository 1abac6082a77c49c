/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Batches of events that a thread prefetches while earlier ones are processed. With one processor,
 * a batch is pulled when it is requested.
 */
#ifndef CLI_FILTER_EVENT_QUEUE_H
#define CLI_FILTER_EVENT_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <iotrace/iotrace.h>

enum { EVENT_QUEUE_BATCH = 1024 };

/* Returns the number of next events, up to max; 0 at the end; a negative status on an error. */
typedef ssize_t event_queue_fn(void *context, struct iot_event *ev, size_t max);

struct event_queue;

/*
 * Until it is freed, the queue owns pull and all it uses. alone: without a thread, for a pull that
 * may block forever. Returns NULL if out of memory.
 */
struct event_queue *event_queue_new(event_queue_fn *pull, void *context, bool alone);
/* Returns the result of pull, in memory that the caller may use until the next call. */
ssize_t event_queue_next(struct event_queue *r, struct iot_event **ev);
/* Waits for a running pull. */
void event_queue_free(struct event_queue *r);

#endif
