/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of a run that differ noticeably from the values of another one. */
#ifndef CLI_ANALYZE_AGAINST_H
#define CLI_ANALYZE_AGAINST_H

#include <stdbool.h>

#include <iotrace/analyze.h>

/*
 * Values differ noticeably if one is at least 1.1 times the other, and shares also by 0.01; or if
 * only one is known, or texts differ.
 */
#define AGAINST_RATIO 1.1
#define AGAINST_SHARE 0.01

/* A value of both runs, or of one. */
struct analyze_difference {
	const struct iot_analyze_value *now, *before; /* NULL: the run does not have it */
};

struct analyze_differences {
	const struct iot_analyze *now, *before;
	struct analyze_difference *pair; /* values that differ, in their usual order */
	size_t count, capacity;
	size_t compared; /* all values, also equal ones */
};

/*
 * Compares two analyses that are finished, to which the differences refer. Returns IOT_OK or
 * IOT_ENOMEM; in both cases the differences have to be freed.
 */
int analyze_compare(struct analyze_differences *d, const struct iot_analyze *now,
		    const struct iot_analyze *before);
void analyze_differences_free(struct analyze_differences *d);

/* Returns the value of this run, or else of the other one. */
const struct iot_analyze_value *analyze_either(const struct analyze_difference *p);
/* NAN if the ratio is not defined. */
double analyze_ratio(const struct analyze_difference *p);
bool analyze_is_known(const struct iot_analyze_value *v); /* false if it is NULL */

#endif
