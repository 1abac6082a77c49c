/* SPDX-License-Identifier: BSD-2-Clause */
/* Evaluates simulations: errors of counters, and the times of I/O nodes and jobs. */
#ifndef LIB_MODEL_EVALUATE_H
#define LIB_MODEL_EVALUATE_H

#include "model.h"

enum model_counter {
	MODEL_BYTES_READ,
	MODEL_READS,
	MODEL_BYTES_WRITTEN,
	MODEL_WRITES,
	MODEL_COUNTERS,
};

/* The logs of a counter that are not 0. */
struct model_error {
	uint64_t logs, differing;
	double sum; /* |simulated - logged| / logged, added up */
};
void model_errors(const struct model_input *in, const struct model_result *r,
		  struct model_error errors[MODEL_COUNTERS]);

/* When an I/O node or a job ran, and how long it had requests in progress. */
struct model_times {
	int64_t begin_ps, end_ps;
	int64_t io_ps; /* with requests in progress; a job: the largest of its I/O nodes */
	uint64_t logs;
};
/* Computes the time from the first log to the end of the last one, with the computation in it. */
void model_node_times(const struct model_input *in, const struct model_result *base,
		      const struct model_result *r, size_t node, struct model_times *t);
/* Sets times[1 .. in->jobs], by the number of the job. Returns false if out of memory. */
bool model_job_times(const struct model_input *in, const struct model_result *base,
		     const struct model_result *r, struct model_times *times);

/* How well a simulation fits logs whose I/O fills their interval. */
struct model_fit {
	uint64_t logs[2];  /* that determine the fit */
	double squares[2]; /* sums of squared differences of bytes per second */
};
enum { MODEL_FIT_LOGS = 30 /* fewer do not determine anything */ };
/* The input has to want disk_end_ps. */
void model_fit(const struct model_input *in, const struct model_result *r, struct model_fit *fit);

#endif
