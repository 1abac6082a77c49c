/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts times that count from 1970, or from a source's own zero, to times from the beginning of
 * the trace: in records, and in the text of directives.
 */
#ifndef LIB_FILTER_TIME_SHIFT_H
#define LIB_FILTER_TIME_SHIFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <iotrace/iotrace.h>

struct time_shift {
	int64_t zero_ns;
	uint64_t before_zero; /* events moved to zero because they were earlier */
	char *text;           /* of the directives of a batch */
	size_t capacity;
};

/* value + by, clamped to 0 .. 2^64-1. */
uint64_t shifted(uint64_t value, int64_t by);
/* Works in place; new texts are valid until the next call. Returns false if out of memory. */
bool time_shift_events(struct time_shift *s, struct iot_event *ev, size_t n);
void time_shift_free(struct time_shift *s);

#endif
