/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of several jobs that plots compare, by group. */
#ifndef CLI_REPORT_JOB_SET_H
#define CLI_REPORT_JOB_SET_H

#include "cli/analyze/groups.h"

enum compared_value {
	JOB_PROCESSES,
	JOB_FILES,
	JOB_READ,
	JOB_WRITTEN,
	JOB_INTENSITY_R,
	JOB_INTENSITY_W,
	JOB_BURSTINESS_R,
	JOB_BURSTINESS_W,
	JOB_PARALLEL_R,
	JOB_PARALLEL_W,
	JOB_NODE_RATE, /* bytes/s per node */
	JOB_RATE,      /* bytes/s */
	JOB_VALUES
};

enum { JOB_CLASSES = 10, JOB_NOT_GROUPED = -1 };

struct set_job {
	char *group; /* NULL: unknown, or not grouped */
	char *name;
	double value[JOB_VALUES];             /* NAN: unknown */
	uint64_t class_count[2][JOB_CLASSES]; /* requests by size, of reads and of writes */
};

/* All zeros but `by`: none. */
struct job_set {
	int by; /* enum analyze_group_by, or JOB_NOT_GROUPED */
	struct set_job *job;
	size_t count, capacity;
	struct analyze_group *group; /* those with most jobs first */
	size_t groups;
};

extern const char *const job_class_names[JOB_CLASSES];

/* Adds a job to the struct job_set. Returns IOT_OK, IOT_ENOMEM or IOT_ELIMIT. */
int job_set_add(void *set, const struct analyze_job_of *of);
/*
 * Sorts the jobs, after all have been added, and finds the groups. Returns false if out of memory.
 */
bool job_set_sort(struct job_set *s);
/* The name of a group, and what jobs are grouped by. */
const char *job_set_group_name(const struct job_set *s, const struct analyze_group *group);
const char *job_set_by(const struct job_set *s);
void job_set_free(struct job_set *s);

#endif
