/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>

#include "plot.h"

enum { PERIODS = 4 };

/* Bytes of bins, up to twice the lower median of those that are not 0. */
static void cap(double *bytes, double *scratch, size_t n)
{
	size_t positive = 0;
	for (size_t i = 0; i < n; i++)
		if (bytes[i] > 0)
			scratch[positive++] = bytes[i];
	if (positive == 0)
		return;
	plot_sort(scratch, positive);
	const double max = 2 * scratch[(positive - 1) / 2];
	for (size_t i = 0; i < n; i++)
		bytes[i] = fmin(bytes[i], max);
}

static void correlate(double *r, size_t lags, const double *x, size_t n)
{
	double mean = 0, variance = 0;
	for (size_t i = 0; i < n; i++)
		mean += x[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		variance += (x[i] - mean) * (x[i] - mean);
	for (size_t k = 0; k < lags && variance > 0; k++) {
		double sum = 0;
		for (size_t i = 0; i + k < n; i++)
			sum += (x[i] - mean) * (x[i + k] - mean);
		r[k] = sum / variance * (double)n / (double)(n - k);
	}
}

bool plot_correlate(struct plot_data *d, const struct iot_analyze_timeline *t)
{
	const double period = plot_number(d, "cycles", "period_s", NULL);
	double *bytes = calloc(2 * t->count + 1, sizeof *bytes);
	size_t lags = t->count / 3;
	if (!isnan(period) && PERIODS * period / t->width_s < (double)lags)
		lags = (size_t)(PERIODS * period / t->width_s);
	d->correlation = calloc(lags + 1, sizeof *d->correlation);
	if (bytes != NULL && d->correlation != NULL) {
		for (size_t i = 0; i < t->count; i++)
			bytes[i] = (double)t->bins[i].bytes[0] + (double)t->bins[i].bytes[1];
		cap(bytes, bytes + t->count, t->count);
		correlate(d->correlation, lags, bytes, t->count);
		d->lag_count = lags;
		d->lag_s = t->width_s;
	}
	const bool done = bytes != NULL && d->correlation != NULL;
	free(bytes);
	return done;
}
