/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Batches of events pulled ahead by a thread, while those before are worked on. With one processor
 * they are pulled when they are asked for.
 */
#ifndef CLI_FILTER_EVENT_QUEUE_H
#define CLI_FILTER_EVENT_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <iotrace/iotrace.h>

enum { EVENT_QUEUE_BATCH = 1024 };

/* The next events, at most max; 0: the end; negative: no further either. */
typedef ssize_t event_queue_fn(void *context, struct iot_event *ev, size_t max);

struct event_queue;

/*
 * Until free, pull and all it uses belong to the relay. alone: without a thread, for a pull that may
 * wait for ever. NULL: no memory.
 */
struct event_queue *event_queue_new(event_queue_fn *pull, void *context, bool alone);
/* What pull gave, in memory of the relay that is the caller's until the next call. */
ssize_t event_queue_next(struct event_queue *r, struct iot_event **ev);
/* Waits for a pull that has begun. */
void event_queue_free(struct event_queue *r);

#endif
