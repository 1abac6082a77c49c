/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests in periods of the trace's time, printed while the trace is read: a line for each period
 * with a request, or for each process, rank, host, file or directory in it.
 */
#ifndef CLI_ANALYZE_PERIODS_H
#define CLI_ANALYZE_PERIODS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/ui/options.h"
#include "cli/ui/trace_in.h"

struct analyze_periods_options {
	uint64_t every_ns;
	int by; /* enum iot_stats_by, or ANALYZE_PERIODS_TOTAL */
	bool tsv, physical;
	uint64_t top; /* rows of a period; NOT_GIVEN: all */
};

enum { ANALYZE_PERIODS_TOTAL = -1 };

/* Reads all of an open trace. Returns the exit status, after messages. */
enum exit_status analyze_periods_print(struct trace_in *in,
				       const struct analyze_periods_options *options);

#endif
