/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Undated comments belong to the record that follows them. Where a batch ends between the two, they
 * are kept until it arrives, with the dated directives among them.
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

/* Copies n events. False: no memory. */
bool holdback_keep(struct holdback *u, const struct iot_event *ev, size_t n);
/* Whether more is kept than can be waited for. */
bool holdback_full(const struct holdback *u);
/*
 * Gives undated events the start of the event that follows, or of the following record if that is
 * earlier: next_ns and record_ns of what follows all n. Events at INT64_MIN stay there.
 */
void holdback_place(struct iot_event *ev, size_t n, int64_t next_ns, int64_t record_ns);
/* Returns what was kept, placed; it is valid until more is kept. */
size_t holdback_take(struct holdback *u, int64_t next_ns, int64_t record_ns,
		     const struct iot_event **ev);
void holdback_free(struct holdback *u);

#endif
