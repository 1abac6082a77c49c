/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conditions on the values of jobs: comparisons of sums of values and numbers, joined by "and". A
 * comparison of an unknown value is false.
 */
#ifndef CLI_ANALYZE_WHERE_H
#define CLI_ANALYZE_WHERE_H

#include <stdbool.h>
#include <stddef.h>

enum { WHERE_CONDITIONS = 16, WHERE_TERMS = 8, WHERE_TEXT = 160 };

/* The jobs that a condition keeps, and their shares of all jobs. */
struct where_kept {
	size_t jobs;
	double run_time_s, node_s, bytes; /* sums of known values */
};

struct where_side {
	double number; /* the sum of the numbers */
	size_t value[WHERE_TERMS], values;
};

struct where_condition {
	char text[WHERE_TEXT];
	struct where_side side[2];
	enum where_operator {
		WHERE_LESS,
		WHERE_LESS_EQUAL,
		WHERE_GREATER,
		WHERE_GREATER_EQUAL,
		WHERE_EQUAL,
		WHERE_NOT_EQUAL
	}
	operator;
	struct where_kept kept;
};

/* All zeros: no condition. */
struct where {
	struct where_condition condition[WHERE_CONDITIONS];
	size_t conditions;
	struct where_kept all, kept; /* of all jobs, and by all conditions */
};

/* Appends the conditions of a text. Returns NULL, or what was expected. */
const char *where_parse(struct where *w, const char *text);
/* Returns whether all conditions are true of the values of a job. */
bool where_is_true(const struct where *w, const double *value);
/* The same, and counts the job. */
bool where_keeps(struct where *w, const double *value);

#endif
