/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inter-arrival times of requests: in the whole trace, per process and per file; and think times,
 * from the end of a request to the start of the next one of its process.
 */
#ifndef LIB_ANALYZE_OVER_TIME_ARRIVAL_H
#define LIB_ANALYZE_OVER_TIME_ARRIVAL_H

#include "lib/analyze/containers/histogram.h"
#include "lib/analyze/requests.h"
#include "lib/analyze/values.h"

struct state;

/* A request that the next one follows. Only if `started`. */
struct arrival_start {
	int64_t first_ns, start_ns; /* of the first request, and of the last one */
	bool started;
	uint32_t batch; /* of a file: the last one that has it */
};

struct arrival {
	struct arrival_start trace;
	struct arrival_start *files;
	struct arrival_process {
		struct arrival_start start;
		int64_t end_ns;   /* of the previous request, if `ended`; INT64_MAX: beyond */
		bool ended;       /* its start and its duration are known */
		bool any;         /* there is a request, of any start */
		bool first_known; /* the start of the first one is known */
	} * processes;
	size_t file_capacity, process_capacity;
	bool inexact_process, inexact_file; /* a join found two of a part to be one */
	uint32_t batch;                     /* the current one, from 1 on */
	/* times that are the same in the trace and the process, or in the file, too */
	struct histogram in_trace_process, in_all;
	struct histogram in_trace, in_process, in_file, think;
};

/* The same requests in three views. Returns false if out of memory. */
bool arrival_add(struct arrival *a, const struct io_spans *in_order,
		 const struct io_spans *by_process, const struct io_spans *grouped);
/* Adds a part, whose processes and files have these numbers in a. */
bool arrival_join(struct arrival *a, const struct arrival *part, const uint32_t *process,
		  const uint32_t *file);
/*
 * Adds another trace: times between its requests and requests of a process or file that both have
 * are unknown. Before, of both: arrival_forget clears what a part that follows would need.
 */
bool arrival_add_trace(struct arrival *a, const struct arrival *more, const uint32_t *process,
		       const uint32_t *file);
void arrival_forget(struct arrival *a);
/* Adds common times to the histograms that they belong to; call before arrival_values. */
void arrival_settle(struct arrival *a);
void arrival_state(struct state *s, struct arrival *a);
/* ordered: all requests have one order. */
/* untimed: no request has a known duration */
void arrival_values(const struct arrival *a, bool ordered, bool untimed, struct values *v);
void arrival_free(struct arrival *a);

#endif
