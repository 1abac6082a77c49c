/* SPDX-License-Identifier: BSD-2-Clause */
/* Jobs that are chosen by a value: with the highest, the lowest or the median one. */
#ifndef CLI_ANALYZE_PICKS_H
#define CLI_ANALYZE_PICKS_H

#include "jobs.h"

enum { PICKS_MAX = 16 };

struct pick {
	const char *text; /* of the option: VALUE:max where CONDITION */
	size_t value;     /* of member_values */
	enum pick_kind { PICK_MAX, PICK_MIN, PICK_MEDIAN } kind;
	struct where where;
	const struct analyze_job *job; /* NULL: no job knows the value and fulfils the condition */
};

/* All zeros: none. */
struct picks {
	struct pick *pick;
	size_t count, capacity;
};

/* Appends a pick to the struct picks target. */
const char *analyze_option_pick(const struct option *opt, const char *value);
/* Chooses a job for each pick. Returns false if out of memory. */
bool picks_choose(struct picks *p, const struct analyze_jobs *jobs);
/* Returns whether a job of this name was chosen. */
bool picks_contain(const struct picks *p, const char *name);
void picks_free(struct picks *p);

#endif
