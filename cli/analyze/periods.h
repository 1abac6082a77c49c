/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests in periods of the trace's time, printed while the trace is read: a line for each period
 * with a request, or for each process, rank, host, file or directory in it.
 */
#ifndef CLI_ANALYZE_PERIODS_H
#define CLI_ANALYZE_PERIODS_H

#include "cli/ui/trace_in.h"
#include "cli/views/periods.h"

struct analyze_periods_options {
	uint64_t every_ns;
	int by;                        /* enum iot_stats_by, or PERIOD_TOTAL */
	const struct print_form *form; /* NULL: text */
	bool physical;
	uint64_t top; /* rows of a period; NOT_GIVEN: all */
};

/* Reads all of an open trace. Returns the exit status, after messages. */
enum exit_status analyze_periods_print(struct trace_in *in,
				       const struct analyze_periods_options *options);

#endif
