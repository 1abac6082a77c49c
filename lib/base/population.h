/* SPDX-License-Identifier: BSD-2-Clause */
/* Quantiles, mean and other summaries of a set of values. */
#ifndef LIB_BASE_POPULATION_H
#define LIB_BASE_POPULATION_H

#include <stddef.h>

struct population {
	double *value; /* ascending; memory of the caller */
	size_t n;
};

/*
 * Collects a value of each of n structs of `size` bytes, and sorts them. first: the value of the
 * first struct. Leaves out NAN, which is unknown.
 */
void population_collect(struct population *p, const void *first, size_t n, size_t size);
/* Sorts values that the caller stored. */
void population_sort(struct population *p);
/*
 * Returns the lowest value up to which there is this share of the values, which must not be empty.
 */
double population_quantile(const struct population *p, unsigned permille);
/* Returns the mean of the two middle values if their number is even; NAN without values. */
double population_median(const struct population *p);
/* Returns the share of values above a limit. */
double population_share_above(const struct population *p, double limit);
double population_mean(const struct population *p);
double population_stddev(const struct population *p);
/* Returns the share of the largest fifth of the values in their sum. No value may be negative. */
double population_top_share(const struct population *p);
/* Returns the smallest share of the values that have at least four fifths of the sum. */
double population_main_members(const struct population *p);

#endif
