/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls and their times: reads, writes, and kinds of operations. */
#ifndef CLI_ANALYZE_CALL_TIMES_H
#define CLI_ANALYZE_CALL_TIMES_H

#include <iotrace/analyze.h>

enum { CALL_TIMES_MAX = 16 };

struct call_time {
	const char *name;
	uint64_t calls;
	double ns; /* the sum of the known durations; NAN: none is known */
};

/* Lists the kinds of calls, most time first and unknown times last. Returns their number. */
size_t call_times(struct iot_analyze *a, struct call_time list[CALL_TIMES_MAX]);

#endif
