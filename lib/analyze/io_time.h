/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of the time in I/O, and of the durations of requests. */
#ifndef LIB_ANALYZE_IO_TIME_H
#define LIB_ANALYZE_IO_TIME_H

#include "lib/analyze/over_time/busy.h"

#include "counters.h"
#include "latency.h"
#include "totals.h"
#include "values.h"

struct io_time_source {
	const struct busy *busy; /* of processes */
	const struct latency *latency;
	const struct totals *totals;
	const struct counters_totals *counted; /* counters that replace requests; NULL: none */
	/* sums that a source without operations has of them; NULL: none, or operations are shown */
	const struct counters *counters;
	bool mpiio;                            /* of this layer, else of POSIX and STDIO */
	bool shows_operations;                 /* the trace has operations */
	uint64_t lacks;                        /* enum lack */
	uint64_t runtime_ns, processes, nodes; /* of the job; nodes 0: unknown */
};

/* Returns whether no request has a known start and duration. */
bool io_time_is_unknown(const struct totals *t, const struct latency *l);
void io_time_values(const struct io_time_source *from, struct values *v);

#endif
