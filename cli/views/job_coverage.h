/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of the jobs of a list that have a log, and of the jobs that conditions keep. */
#ifndef CLI_VIEWS_JOB_COVERAGE_H
#define CLI_VIEWS_JOB_COVERAGE_H

#include <iotrace/result.h>

#include "cli/analyze/jobs.h"
#include "cli/ui/output.h"

struct job_coverage {
	const struct analyze_jobs *jobs;
	size_t top;                  /* jobs that are named */
	size_t next_row[2], next[2]; /* where a search for the next name begins */
	uint64_t listed, logged, unlisted, accounts, logged_accounts;
	double core_hours, listed_core_hours; /* NAN: unknown */
	struct iot_table coverage, without_log,
	    not_listed;             /* without columns unless --jobs is given */
	struct iot_table selection; /* without columns if all jobs are kept */
};

/* Returns false if out of memory. */
bool job_coverage_make(struct job_coverage *c, const struct analyze_jobs *jobs, uint64_t top);
/* Prints the tables that have columns as text. */
void job_coverage_text(struct output *out, struct job_coverage *c);

#endif
