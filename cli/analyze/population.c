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

void population_collect(struct population *p, const void *first, size_t n, size_t size)
{
	p->n = 0;
	for (size_t i = 0; i < n; i++) {
		double value;
		memcpy(&value, (const char *)first + i * size, sizeof value);
		if (!isnan(value))
			p->value[p->n++] = value;
	}
	if (p->n > 0)
		qsort(p->value, p->n, sizeof *p->value, by_value);
}

double population_quantile(const struct population *p, unsigned permille)
{
	const size_t rank = (p->n * permille + 999) / 1000;
	return p->value[rank > 0 ? rank - 1 : 0];
}

double population_mean(const struct population *p)
{
	double sum = 0;
	for (size_t i = 0; i < p->n; i++)
		sum += p->value[i];
	return sum / (double)p->n;
}
