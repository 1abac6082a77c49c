/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of jobs as a population: a table of one row. */
#ifndef CLI_VIEWS_JOB_POPULATION_H
#define CLI_VIEWS_JOB_POPULATION_H

#include <iotrace/result.h>

#include "cli/analyze/jobs.h"

enum {
	POPULATION_COLUMNS = 15,
	POPULATION_N = 0, /* the columns of n and the mean */
	POPULATION_MEAN = 11
};

/* The row of a table, which was computed from the values of a group. */
struct job_population {
	struct iot_cell cell[POPULATION_COLUMNS];
	struct iot_table table;
};

extern const struct iot_column job_population_columns[POPULATION_COLUMNS];

/* scratch: memory for the values of all jobs. */
void job_population_make(struct job_population *p, const struct job_group *g, size_t value,
			 struct population *scratch);

#endif
