/* SPDX-License-Identifier: BSD-2-Clause */
#include "hyperloglog.h"

#include <math.h>

void hyperloglog_join(struct hyperloglog *h, const struct hyperloglog *more)
{
	for (unsigned i = 0; i < HLL_REGISTERS; i++)
		h->value[i] = more->value[i] > h->value[i] ? more->value[i] : h->value[i];
}

/* The series of registers without a value, x: their share, less than 1. */
static double sigma(double x)
{
	double y = 1, z = x, last;
	do {
		last = z;
		x *= x;
		z += x * y;
		y += y;
	} while (z != last);
	return z;
}

/* Ertl's tau(x), the term of registers with the highest value; 1 - x is their share. */
static double tau(double x)
{
	if (x == 0 || x == 1)
		return 0;
	double y = 1, z = 1 - x, last;
	do {
		last = z;
		x = sqrt(x);
		y *= 0.5;
		z -= (1 - x) * (1 - x) * y;
	} while (z != last);
	return z / 3;
}

double hyperloglog_estimate(const struct hyperloglog *h)
{
	const double m = HLL_REGISTERS, ln_2 = 0.69314718055994531;
	double count[HLL_VALUE_MAX + 1] = {0};
	for (unsigned i = 0; i < HLL_REGISTERS; i++)
		count[h->value[i]]++;
	if (count[0] == m)
		return 0;
	double z = m * tau(1 - count[HLL_VALUE_MAX] / m);
	for (unsigned k = HLL_VALUE_MAX - 1; k >= 1; k--)
		z = 0.5 * (z + count[k]);
	z += m * sigma(count[0] / m);
	return m * m / (2 * ln_2 * z);
}
