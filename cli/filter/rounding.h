/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts how many times a tick that is coarser than the input rounded down, and the maximum. */
#ifndef CLI_FILTER_ROUNDING_H
#define CLI_FILTER_ROUNDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <iotrace/iotrace.h>

struct rounding {
	uint64_t tick_ns; /* 0: not counted */
	uint64_t times, max_ns;
};

/* Counts the events that w writes from here on, if `wanted`. */
void rounding_begin(struct rounding *r, const struct iot_writer *w, bool wanted);
/* Examines n events or records before they are written. */
void rounding_events(struct rounding *r, const struct iot_event *ev, size_t n);
void rounding_records(struct rounding *r, const struct iot_record *rec, size_t n);
/* Prints a message if a time was rounded. */
void rounding_report(const struct rounding *r);

#endif
