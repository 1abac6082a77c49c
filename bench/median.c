/* SPDX-License-Identifier: BSD-2-Clause */
#include "median.h"

#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

double median(double *values, size_t n)
{
	if (n == 0)
		return 0;
	qsort(values, n, sizeof *values, by_value);
	return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}
