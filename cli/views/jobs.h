/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables that `iotrace analyze` prints for several jobs. */
#ifndef CLI_VIEWS_JOBS_H
#define CLI_VIEWS_JOBS_H

#include "cli/analyze/jobs.h"
#include "cli/print/form.h"

/*
 * These print the populations of the values of all jobs; a row for each job, up to `top`, those
 * with most bytes first; and a row for each group. They return IOT_OK or IOT_ENOMEM.
 */
int jobs_print(struct analyze_jobs *j, struct output *out, const struct print_form *form,
	       uint64_t top);
int jobs_print_rows(struct analyze_jobs *j, struct output *out, const struct print_form *form,
		    uint64_t top);
int jobs_print_groups(struct analyze_jobs *j, struct output *out, const struct print_form *form,
		      uint64_t top);

#endif
