/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traces of several jobs: sums over all jobs, and each value as a population over all jobs or over
 * a group of jobs.
 */
#ifndef CLI_ANALYZE_JOBS_H
#define CLI_ANALYZE_JOBS_H

#include "groups.h"
#include "inputs.h"
#include "member_values.h"
#include "lib/base/population.h"
#include "where.h"
#include "workflow.h"

struct job_list;

enum { ANALYZE_JOBS_MAX = 1 << 20, ANALYZE_SUMS = 10 };

/* Values of section `totals` that are added over all jobs, by number. */
extern const char *const analyze_sum_names[ANALYZE_SUMS];

struct analyze_job {
	char *name, *path;
	char *group[ANALYZE_GROUP_LEVELS]; /* NULL: unknown */
	const struct listed_job *listed;   /* NULL: the list does not have it */
	uint64_t sum[ANALYZE_SUMS];
	bool is_known[ANALYZE_SUMS];
	double value[]; /* NAN: unknown */
};

/* All zeros: none. */
struct analyze_jobs {
	struct analyze_job **job;
	size_t count, capacity;
	struct analyze_grouping grouping;
	const struct job_list *list; /* NULL: none */
	const struct where *where;   /* NULL: all jobs were added */
	bool has_workflow;           /* set it to compare the files of the jobs */
	struct analyze_workflow workflow;
};

/* A sum over jobs; those that do not know the value are left out of it. */
struct analyze_sum {
	uint64_t sum;
	size_t known, unknown; /* jobs */
};

/* Jobs that are neighbours in the array, and of the list all jobs that belong to the group. */
struct job_group {
	struct analyze_job *const *job;
	size_t count;
	double bytes;
	size_t listed;
	double core_hours, listed_core_hours; /* NAN: unknown */
};

/* Adds a job to the struct analyze_jobs. Returns IOT_OK, IOT_ENOMEM, or IOT_ELIMIT. */
int analyze_jobs_add(void *jobs, const struct analyze_job_of *of);
/* Sorts the jobs, most bytes first. */
void analyze_jobs_sort(struct analyze_jobs *j);
/*
 * Sorts the jobs by group and stores up to j->count groups, most bytes first. Returns the number of
 * groups.
 */
size_t analyze_jobs_group(struct analyze_jobs *j, struct job_group *group);
struct job_group analyze_jobs_all(const struct analyze_jobs *j);

struct analyze_sum analyze_group_sum(const struct job_group *g, size_t i);
/* Returns the sum of a name over all jobs. */
uint64_t analyze_jobs_sum(const struct analyze_jobs *j, const char *name);
/* Stores the known values of the jobs of a group, sorted. */
void analyze_group_collect(const struct job_group *g, size_t value, struct population *p);

/* The columns of a group: each is the mean of a value over the jobs of the group. */
enum { ANALYZE_GROUP_COLUMNS = 8 };
struct group_column {
	const char *section, *name, *heading;
	double scale; /* in the text */
};
extern const struct group_column analyze_group_columns[ANALYZE_GROUP_COLUMNS];
void analyze_jobs_free(struct analyze_jobs *j);

#endif
