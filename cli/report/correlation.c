/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>

#include "lib/result/names.h"

#include "plot.h"

enum { PERIODS = 4, LAGS_MAX = 32 };

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

/* Sums of neighbours, so that a period has fewer than LAGS_MAX bins; returns their number. */
static size_t add_neighbours(double *x, size_t n, double *width_s, double period)
{
	while (period / *width_s >= LAGS_MAX) {
		for (size_t i = 0; i < n / 2; i++)
			x[i] = x[2 * i] + x[2 * i + 1];
		n /= 2;
		*width_s *= 2;
	}
	return n;
}

/* With the weights of the search for a period, (1, 2, 3, 2, 1) / 9 */
static void smooth(double *r, const double *raw, size_t lags)
{
	static const double weights[] = {1, 2, 3, 2, 1};
	for (size_t k = 0; k < lags; k++) {
		r[k] = 0;
		for (size_t i = 0; i < 5; i++) {
			const size_t at = k + i < 2 ? 2 - k - i : k + i - 2;
			r[k] += raw[at < lags ? at : lags - 1] * weights[i] / 9;
		}
	}
}

static void set_correlation(struct plot_data *d, double *x, size_t n, double *raw)
{
	const double period = plot_number(d, VALUE(cycles, period_s), NULL);
	n = add_neighbours(x, n, &d->lag_s, period);
	const double wanted = PERIODS * period / d->lag_s;
	d->lag_count = wanted < (double)n / 3 ? (size_t)wanted : n / 3;
	correlate(raw, d->lag_count, x, n);
	smooth(d->correlation, raw, d->lag_count);
}

bool plot_correlate(struct plot_data *d, const struct iot_analyze_timeline *t)
{
	const size_t n = t->count;
	double *bytes = calloc(2 * n + 1, sizeof *bytes);
	d->correlation = calloc(n + 1, sizeof *d->correlation);
	d->lag_s = t->width_s;
	const bool done = bytes != NULL && d->correlation != NULL;
	for (size_t i = 0; i < n && done; i++)
		bytes[i] = (double)t->bins[i].bytes[0] + (double)t->bins[i].bytes[1];
	if (done && n > 0) {
		cap(bytes, bytes + n, n);
		for (size_t i = 0; i < n; i++)
			bytes[n + i] = 0;
		set_correlation(d, bytes, n, bytes + n);
	}
	free(bytes);
	return done;
}
