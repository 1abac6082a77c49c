/* SPDX-License-Identifier: BSD-2-Clause */
/* What simulations say: errors of counters, and the times of I/O nodes and jobs. */
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
	double sum; /* of |simulated - logged| / logged */
};
void model_errors(const struct model_input *in, const struct model_result *r,
		  struct model_error errors[MODEL_COUNTERS]);

/* Of an I/O node or a job. */
struct model_times {
	int64_t begin_ps, end_ps;
	int64_t io_ps; /* with requests in progress; of a job, on the I/O node that has most */
	uint64_t logs;
};
/* The time from the first log to the end of the last one, with the computation in it. */
void model_node_times(const struct model_input *in, const struct model_result *base,
		      const struct model_result *r, size_t node, struct model_times *t);
/* times: of jobs 1 .. in->jobs, by number. Returns false if out of memory. */
bool model_job_times(const struct model_input *in, const struct model_result *base,
		     const struct model_result *r, struct model_times *times);

/* The distribution of quotients. */
struct model_ratios {
	double *value; /* ascending */
	size_t count;
};
double model_ratios_mean(const struct model_ratios *r);
double model_ratios_deviation(const struct model_ratios *r);
double model_ratios_median(const struct model_ratios *r);
/* The share of values above a limit. */
double model_ratios_above(const struct model_ratios *r, double limit);
void model_ratios_sort(struct model_ratios *r);

/* How well a simulation fits logs whose I/O fills their interval. */
struct model_fit {
	uint64_t logs[2];  /* that inform */
	double squares[2]; /* sums of squared differences of bytes per second */
};
enum { MODEL_FIT_LOGS = 30 /* fewer do not determine anything */ };
void model_fit(const struct model_input *in, const struct model_result *r, struct model_fit *fit);

#endif
