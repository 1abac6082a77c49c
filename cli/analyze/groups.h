/* SPDX-License-Identifier: BSD-2-Clause */
/* Jobs by user, program or directory: means and quartiles of the values of each group's jobs. */
#ifndef CLI_ANALYZE_GROUPS_H
#define CLI_ANALYZE_GROUPS_H

#include "inputs.h"
#include "table.h"

enum analyze_group_by { ANALYZE_GROUP_USER, ANALYZE_GROUP_COMMAND, ANALYZE_GROUP_DIR };

enum {
	ANALYZE_GROUPED_MAX = 1 << 20, /* jobs */
	/* the sections of the values that a row has */
	ANALYZE_GROUP_SECTIONS = IOT_ANALYZE_SIZES | IOT_ANALYZE_ORDER | IOT_ANALYZE_TIME |
				 IOT_ANALYZE_PROCESSES | IOT_ANALYZE_COUNTERS
};

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
void analyze_groups_free(struct analyze_groups *g);

#endif
