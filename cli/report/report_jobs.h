/* SPDX-License-Identifier: BSD-2-Clause */
/* Several jobs: their plots, and the report of their values. */
#ifndef CLI_REPORT_REPORT_JOBS_H
#define CLI_REPORT_REPORT_JOBS_H

#include "cli/analyze/jobs.h"

#include "job_set.h"
#include "report.h"

/* All zeros but set.by: none. */
struct report_jobs {
	struct job_set set;
	struct analyze_jobs jobs;
};

/* Adds a job to the struct report_jobs. Returns IOT_OK, IOT_ENOMEM or IOT_ELIMIT. */
int report_jobs_add(void *jobs, const struct analyze_job_of *of);
/* Makes the data of plots, after all jobs have been added. Returns false if out of memory. */
bool report_jobs_data(struct report_jobs *r, struct plot_data *d);
/*
 * options->damaged: parts of a trace are missing or damaged. Returns EXIT_OK, or EXIT_FAILED after
 * a message.
 */
enum exit_status report_jobs_write(struct report_jobs *r, const struct plot_data *d,
				   const struct report_options *options);
void report_jobs_free(struct report_jobs *r);

#endif
