/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Untimed comments belong to the record that follows them. If a batch ends between the two, they
 * are kept until it arrives, with the timed directives among them.
 */
#ifndef CLI_FILTER_HOLDBACK_H
#define CLI_FILTER_HOLDBACK_H

#include <stdbool.h>
#include <stddef.h>

#include <iotrace/iotrace.h>

struct holdback {
	struct iot_event *ev;
	size_t count, capacity;
	char *text;
	size_t used, text_capacity;
};

static inline bool is_timed(const struct iot_event *ev)
{
	return ev->kind == IOT_RECORD || (ev->has & IOT_HAS_TIME) != 0;
}

/* Copies n events. Returns false if out of memory. */
bool holdback_keep(struct holdback *u, const struct iot_event *ev, size_t n);
/* Whether the kept events exceed the limit for waiting. */
bool holdback_full(const struct holdback *u);
/*
 * Sets the start of untimed events to that of the following event, or of the following record if
 * that is earlier; next_ns and record_ns are those after all n events. Events at INT64_MIN are not
 * changed.
 */
void holdback_place(struct iot_event *ev, size_t n, int64_t next_ns, int64_t record_ns);
/* Returns the kept events with their times; they are valid until more are kept. */
size_t holdback_take(struct holdback *u, int64_t next_ns, int64_t record_ns,
		     const struct iot_event **ev);
void holdback_free(struct holdback *u);

#endif
