/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The events of a short trace, or of a short part, which its state has instead of the statistics:
 * these are computed again from them. Of each process and file the statistics take more bytes than
 * a few records.
 *
 * A part begins with definitions that a reader of the whole trace does not get: a definition that
 * repeats the current one is not an event. So joined parts have the events of the whole trace. The
 * events of a part cost no more than all of the trace, so that whether they are kept does not
 * depend on the cuts.
 */
#ifndef LIB_ANALYZE_KEPT_EVENTS_H
#define LIB_ANALYZE_KEPT_EVENTS_H

#include <stdbool.h>

#include <iotrace/iotrace.h>

#include "lib/format/definitions.h"

enum {
	KEPT_COST_MAX = 32 << 20, /* two million records */
	KEPT_EVENT_COST = 16      /* of each event, beside the bytes of its text */
};

struct kept_events {
	bool on; /* events are kept */
	uint64_t records, cost;
	struct definitions defined;
	struct iot_record last;
	unsigned char *data;
	size_t size, capacity;
};

void kept_begin(struct kept_events *k);
/*
 * Keeps an event if it counts. Ends, with `on` false, if the cost is above the limit, or if a text
 * does not say what the event is; later events may still be added. Returns 1 if the event repeats
 * the current definition; 0; or IOT_ENOMEM.
 */
int kept_add(struct kept_events *k, const struct iot_event *ev);
void kept_drop(struct kept_events *k);

/* A position; set the first member. */
struct kept_cursor {
	const struct kept_events *of;
	size_t at;
	uint32_t tag;        /* unused */
	struct iot_event ev; /* the last one */
};

/* Steps to the next event; false at the end. */
bool kept_step(struct kept_cursor *c);

/* Returns whether a record can be kept: readers have no others. */
bool kept_is_record(const struct iot_record *rec);
/* Returns false if the text is not one of an event that counts. */
bool kept_directive(struct iot_text text, struct iot_event *ev);

#endif
