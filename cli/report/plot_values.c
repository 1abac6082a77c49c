/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot.h"

static int by_value(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;
	return (a > b) - (a < b);
}

void plot_sort(double *values, size_t n)
{
	if (n > 0)
		qsort(values, n, sizeof *values, by_value);
}

const struct iot_analyze_value *plot_value(const struct plot_data *d, const char *section,
					   const char *name, const char *key)
{
	const struct iot_analyze_value *v = iot_analyze_find(d->analysis, section, name, key);
	return v != NULL && v->kind != IOT_VALUE_UNKNOWN ? v : NULL;
}

static double real_of(const struct iot_analyze_value *v)
{
	return v->kind == IOT_VALUE_NUMBER ? (double)v->number
	       : v->kind == IOT_VALUE_REAL ? v->real
					   : (double)NAN;
}

double plot_number(const struct plot_data *d, const char *section, const char *name,
		   const char *key)
{
	const struct iot_analyze_value *v = plot_value(d, section, name, key);
	return v != NULL ? real_of(v) : (double)NAN;
}

const struct iot_analyze_value *plot_next(const struct plot_data *d, size_t *at,
					  const char *section, const char *name)
{
	const struct iot_analyze_value *v;
	while ((v = iot_analyze_value(d->analysis, (*at)++)) != NULL)
		if (strcmp(v->section, section) == 0 && strcmp(v->name, name) == 0 &&
		    v->kind != IOT_VALUE_UNKNOWN)
			return v;
	return NULL;
}
