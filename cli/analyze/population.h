/* SPDX-License-Identifier: BSD-2-Clause */
/* The known values of one kind, one of each job: quantiles and the mean. */
#ifndef CLI_ANALYZE_POPULATION_H
#define CLI_ANALYZE_POPULATION_H

#include <stddef.h>

struct population {
	double *value; /* of the caller, with capacity for all jobs */
	size_t n;
};

void population_clear(struct population *p);
/* NAN is unknown, and left out. */
void population_add(struct population *p, double value);
void population_sort(struct population *p);
/* After population_sort, of at least one: the lowest value with that share of the values up to it. */
double population_quantile(const struct population *p, unsigned permille);
double population_mean(const struct population *p);

#endif
