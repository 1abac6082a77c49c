/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traces of several jobs: sums over all jobs, and each value of a job as a member of a population,
 * as quantiles, or as a table with a row for each job.
 */
#ifndef CLI_ANALYZE_JOBS_H
#define CLI_ANALYZE_JOBS_H

#include "inputs.h"
#include "population.h"
#include "table.h"
#include "workflow.h"

enum { ANALYZE_JOBS_MAX = 1 << 20 };

struct analyze_job;

/* All zeros: none. */
struct analyze_jobs {
	struct analyze_job *job;
	size_t count, capacity;
	bool has_workflow; /* set it to compare the files of the jobs */
	struct analyze_workflow workflow;
};

/* Adds a job to the struct analyze_jobs. Returns IOT_OK, IOT_ENOMEM, or IOT_ELIMIT. */
int analyze_jobs_add(void *jobs, const struct analyze_job_of *of);
/*
 * table: a row for each job, up to `top` rows, with most bytes first; else up to `top` rows of the
 * workflow. Returns an enum iot_status.
 */
int analyze_jobs_print(struct analyze_jobs *j, struct output *out, enum analyze_form form,
		       bool table, uint64_t top);

/* For tables of other forms. The sum of a value of section `totals` over all jobs. */
uint64_t analyze_jobs_sum(const struct analyze_jobs *j, const char *name);
/* The label of value i, and its known values; NULL after the last one. */
const char *analyze_jobs_collect(const struct analyze_jobs *j, size_t i, struct population *p,
				 const char **unit);
void analyze_jobs_free(struct analyze_jobs *j);

#endif
