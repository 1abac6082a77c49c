/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Times that count from 1970, or from a source's own zero, become times that count from the
 * beginning of the trace: in records, and in the text of directives.
 */
#ifndef CLI_FILTER_TIME_SHIFT_H
#define CLI_FILTER_TIME_SHIFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <iotrace/iotrace.h>

struct iot_rebase {
	int64_t zero_ns;
	uint64_t before_zero; /* events moved to zero because they were earlier */
	char *text;           /* of the directives of a batch */
	size_t room;
};

/* value + by, but not below 0 or beyond 2^64-1. */
uint64_t iot_shifted(uint64_t value, int64_t by);
/* In place; new texts live until the next call. False: out of memory. */
bool iot_rebase_events(struct iot_rebase *r, struct iot_event *ev, size_t n);
void iot_rebase_free(struct iot_rebase *r);

#endif
