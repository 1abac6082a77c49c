/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Brings the events of rings into order of start: those before the watermark are written, others
 * wait in a sorter.
 *
 *	until the end:
 *		for each ring:  event_order_next, and add to count; event_order_copy if it is full
 *		event_order_write
 *	event_order_end
 */
#ifndef CLI_RECORD_EVENT_ORDER_H
#define CLI_RECORD_EVENT_ORDER_H

#include "lib/base/error.h"
#include "lib/sort/keysort.h"
#include "lib/sort/sorter.h"
#include "ring.h"
#include "ring_events.h"

struct event_order {
	/* events that the owner of their texts keeps until the next copy or write */
	struct iot_event *event;
	size_t count;
	struct sort_key *key, *spare; /* their order: starts, indexes */
	struct sorter *sorter;        /* of events that wait for others */
	struct ring_events *events;
	int64_t passed; /* start of the latest event written */
	uint64_t late;  /* records written after later events */
	struct iot_event batch[RING_BATCH];
	struct error error; /* "" if the writer has the message */
};

/* memory: bytes of the sorter. `events` outlives it. Returns false if out of memory. */
bool event_order_init(struct event_order *o, uint64_t memory, struct ring_events *events);
void event_order_free(struct event_order *o);
/* Returns where up to RING_BATCH events can be stored, which the caller adds to o->count. */
struct iot_event *event_order_next(struct event_order *o);
/* Returns whether the events have to be copied before others are added. */
bool event_order_is_full(const struct event_order *o);
/* Adds a copy of events. Returns a status, as all of the following. */
int event_order_add(struct event_order *o, const struct iot_event *ev, size_t n);
/* Replaces the events that were added by copies. */
int event_order_copy(struct event_order *o);
/* Writes the events that start before a time, and copies the others. */
int event_order_write(struct event_order *o, int64_t watermark);
/* Writes all events. */
int event_order_end(struct event_order *o);

#endif
