/* SPDX-License-Identifier: BSD-2-Clause */
#include "population.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;
	return a < b ? -1 : a > b;
}

void population_sort(struct population *p)
{
	if (p->n > 0)
		qsort(p->value, p->n, sizeof *p->value, by_value);
}

void population_collect(struct population *p, const void *first, size_t n, size_t size)
{
	p->n = 0;
	for (size_t i = 0; i < n; i++) {
		double value;
		memcpy(&value, (const char *)first + i * size, sizeof value);
		if (!isnan(value))
			p->value[p->n++] = value;
	}
	population_sort(p);
}

double population_quantile(const struct population *p, unsigned permille)
{
	const size_t rank = (p->n * permille + 999) / 1000;
	return p->value[rank > 0 ? rank - 1 : 0];
}

double population_median(const struct population *p)
{
	if (p->n == 0)
		return (double)NAN;
	return (p->value[(p->n - 1) / 2] + p->value[p->n / 2]) / 2;
}

double population_share_above(const struct population *p, double limit)
{
	size_t n = 0;
	while (n < p->n && !(p->value[n] > limit))
		n++;
	return (double)(p->n - n) / (double)p->n;
}

double population_mean(const struct population *p)
{
	double sum = 0;
	for (size_t i = 0; i < p->n; i++)
		sum += p->value[i];
	return sum / (double)p->n;
}

double population_stddev(const struct population *p)
{
	const double mean = population_mean(p);
	double sum = 0;
	for (size_t i = 0; i < p->n; i++)
		sum += (p->value[i] - mean) * (p->value[i] - mean);
	return sqrt(sum / (double)p->n);
}

/* Returns the sum of the n largest values. */
static double sum_of_largest(const struct population *p, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += p->value[p->n - 1 - i];
	return sum;
}

double population_top_share(const struct population *p)
{
	return sum_of_largest(p, (p->n + 4) / 5) / sum_of_largest(p, p->n);
}

double population_main_members(const struct population *p)
{
	const double wanted = 0.8 * sum_of_largest(p, p->n);
	double sum = 0;
	size_t n = 0;
	while (n < p->n && sum < wanted)
		sum += p->value[p->n - ++n];
	return wanted > 0 ? (double)n / (double)p->n : (double)NAN;
}
