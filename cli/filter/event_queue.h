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

enum { IOT_RELAY_BATCH = 1024 };

/* The next events, at most max; 0: the end; negative: no further either. */
typedef ssize_t iot_relay_fn(void *context, struct iot_event *ev, size_t max);

struct iot_relay;

/*
 * Until free, pull and all it uses belong to the relay. alone: without a thread, for a pull that may
 * wait for ever. NULL: no memory.
 */
struct iot_relay *iot_relay_new(iot_relay_fn *pull, void *context, bool alone);
/* What pull gave, in memory of the relay that is the caller's until the next call. */
ssize_t iot_relay_next(struct iot_relay *r, struct iot_event **ev);
/* Waits for a pull that has begun. */
void iot_relay_free(struct iot_relay *r);

#endif
