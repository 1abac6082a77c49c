/* SPDX-License-Identifier: BSD-2-Clause */
/* How many times a tick that is coarser than the input has rounded down, and by how much. */
#ifndef CLI_FILTER_ROUNDING_H
#define CLI_FILTER_ROUNDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <iotrace/iotrace.h>

struct iot_rounding {
	uint64_t tick_ns; /* 0: nothing is counted */
	uint64_t times, most_ns;
};

/* Counts what is written by w from here on, if `wanted`. */
void iot_rounding_begin(struct iot_rounding *r, const struct iot_writer *w, bool wanted);
/* Sees n events or records before they are written. */
void iot_rounding_events(struct iot_rounding *r, const struct iot_event *ev, size_t n);
void iot_rounding_records(struct iot_rounding *r, const struct iot_record *rec, size_t n);
/* A message, if a time was rounded. */
void iot_rounding_tell(const struct iot_rounding *r);

#endif
