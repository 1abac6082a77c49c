/* SPDX-License-Identifier: BSD-2-Clause */
/* The known values of one kind, one of each job: quantiles and the mean. */
#ifndef CLI_ANALYZE_POPULATION_H
#define CLI_ANALYZE_POPULATION_H

#include <stddef.h>

struct population {
	double *value; /* of the caller, with capacity for all jobs */
	size_t n;
};

/* The values of n structs of `size` bytes each, sorted; `first` points to that of the first one. NAN is unknown, and left out. */
void population_collect(struct population *p, const void *first, size_t n, size_t size);
/* Of at least one value: the lowest value with that share of the values up to it. */
double population_quantile(const struct population *p, unsigned permille);
double population_mean(const struct population *p);
double population_stddev(const struct population *p);
/* Returns the share of the largest fifth of the values in their sum. No value may be negative. */
double population_top_share(const struct population *p);
/* The smallest share of the values that have at least four fifths of the sum. */
double population_main_members(const struct population *p);

#endif
