/* SPDX-License-Identifier: BSD-2-Clause */
/* Jobs by user, program or directory: means and quartiles of the values of each group's jobs. */
#ifndef CLI_ANALYZE_GROUPS_H
#define CLI_ANALYZE_GROUPS_H

#include "inputs.h"
#include "population.h"
#include "table.h"

enum analyze_group_by { ANALYZE_GROUP_USER, ANALYZE_GROUP_COMMAND, ANALYZE_GROUP_DIR };

enum {
	ANALYZE_GROUPED_MAX = 1 << 20, /* jobs */
	/* the sections of the values that a row has */
	ANALYZE_GROUP_SECTIONS = IOT_ANALYZE_SIZES | IOT_ANALYZE_ORDER | IOT_ANALYZE_TIME |
				 IOT_ANALYZE_PROCESSES | IOT_ANALYZE_COUNTERS
};

extern const char *const analyze_group_names[]; /* by enum analyze_group_by */
/*
 * Stores the group of a job, which the caller frees, or NULL if it is unknown. Returns false if out
 * of memory.
 */
bool analyze_group_of(char **group, enum analyze_group_by by, const struct analyze_job_of *job);
int analyze_group_compare(const char *a, const char *b); /* NULL last */

/* Jobs of one group, which are neighbours. */
struct analyze_group {
	const char *name; /* NULL: unknown */
	const void *job;  /* the first one */
	size_t count;
};
/*
 * Stores the groups of n structs of `size` bytes, whose first member is the name of their group, and
 * which are sorted by it; those with most jobs first. Returns their number, up to n.
 */
size_t analyze_groups_find(const void *jobs, size_t n, size_t size, struct analyze_group *group);

struct grouped_job;

/* All zeros but `by`: none. */
struct analyze_groups {
	enum analyze_group_by by;
	struct grouped_job *job;
	size_t count, capacity;
};

/* Adds a job to the struct analyze_groups. Returns IOT_OK, IOT_ENOMEM or IOT_ELIMIT. */
int analyze_groups_add(void *groups, const struct analyze_job_of *of);
/* Prints up to `top` groups, those with most jobs first. Returns IOT_OK or IOT_ENOMEM. */
int analyze_groups_print(struct analyze_groups *g, struct output *out, enum analyze_form form,
			 uint64_t top);

/* For tables of other forms: the groups of all jobs, into an array with capacity for these. */
size_t analyze_groups_sort(struct analyze_groups *g, struct analyze_group *group);
enum { ANALYZE_GROUP_COLUMNS = 8 };
/* The heading of a column, and its values of the jobs of a group; scale: of these when shown. */
const char *analyze_groups_collect(const struct analyze_group *group, size_t column,
				   struct population *p, double *scale);
void analyze_groups_free(struct analyze_groups *g);

#endif
