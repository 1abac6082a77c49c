/* SPDX-License-Identifier: BSD-2-Clause */
/* Groups jobs by user, account, program, directory, size and other properties. */
#ifndef CLI_ANALYZE_GROUPS_H
#define CLI_ANALYZE_GROUPS_H

#include "cli/ui/output.h"
#include "lib/base/population.h"

#include "inputs.h"

/* In the order of `analyze_group_names`. */
enum analyze_group_by {
	ANALYZE_GROUP_USER,
	ANALYZE_GROUP_COMMAND,
	ANALYZE_GROUP_DIR,
	ANALYZE_GROUP_ACCOUNT,
	ANALYZE_GROUP_SIZE,      /* processes, by powers of two */
	ANALYZE_GROUP_STRATEGY,  /* N-1, N-M, N-N */
	ANALYZE_GROUP_INTERFACE, /* modules that have counters in the log */
	ANALYZE_GROUPS_BY
};

enum {
	ANALYZE_GROUPED_MAX = 1 << 20, /* jobs */
	ANALYZE_GROUP_LEVELS = 2,      /* that can be crossed */
	/* the sections of the values that a row has */
	ANALYZE_GROUP_SECTIONS = IOT_ANALYZE_SIZES | IOT_ANALYZE_ORDER | IOT_ANALYZE_TIME |
				 IOT_ANALYZE_PROCESSES | IOT_ANALYZE_COUNTERS
};

/* The properties that group jobs. */
struct analyze_grouping {
	enum analyze_group_by by[ANALYZE_GROUP_LEVELS];
	unsigned levels; /* 0: not grouped */
};

extern const char *const analyze_group_names[]; /* by enum analyze_group_by */
/* Parses "account" or "size,strategy" into the struct analyze_grouping target. */
const char *analyze_option_group(const struct option *opt, const char *value);
option_word_fn analyze_group_word;
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
 * Stores the groups of n structs of `size` bytes, whose first member is the name of their group,
 * and which are sorted by it; those with most jobs first. Returns their number, up to n.
 */
size_t analyze_groups_find(const void *jobs, size_t n, size_t size, struct analyze_group *group);

#endif
