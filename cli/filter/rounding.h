/* SPDX-License-Identifier: BSD-2-Clause */
/* How many times a tick that is coarser than the input has rounded down, and by how much. */
#ifndef CLI_FILTER_ROUNDING_H
#define CLI_FILTER_ROUNDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <iotrace/iotrace.h>

struct rounding {
	uint64_t tick_ns; /* 0: nothing is counted */
	uint64_t times, max_ns;
};

/* Counts what is written by w from here on, if `wanted`. */
void rounding_begin(struct rounding *r, const struct iot_writer *w, bool wanted);
/* Sees n events or records before they are written. */
void rounding_events(struct rounding *r, const struct iot_event *ev, size_t n);
void rounding_records(struct rounding *r, const struct iot_record *rec, size_t n);
/* A message, if a time was rounded. */
void rounding_report(const struct rounding *r);

#endif
