/* SPDX-License-Identifier: BSD-2-Clause */
#include "cycle_shape.h"

#include <math.h>
#include <stdlib.h>

/* The sum of the bins up to a time, which may be within a bin. */
static double sum_until(const double *sums, const uint64_t *bins, size_t n, double time)
{
	const size_t bin = (size_t)time;
	return bin < n ? sums[bin] + (time - (double)bin) * (double)bins[bin] : sums[n];
}

static void add_bins(double *sums, const uint64_t *bins, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sums[i + 1] = sums[i] + (double)bins[i];
}

/* amounts[phase * cycles + cycle] */
static void divide(double *amounts, size_t cycles, const double *sums, const uint64_t *bins,
		   size_t n, double period)
{
	double until = 0;
	for (size_t i = 0; i < cycles * CYCLE_PHASES; i++) {
		const double next =
		    sum_until(sums, bins, n, (double)(i + 1) * (period / CYCLE_PHASES));
		amounts[i % CYCLE_PHASES * cycles + i / CYCLE_PHASES] = next - until;
		until = next;
	}
}

static double mean_of(const double *values, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += values[i];
	return sum / (double)n;
}

/* Products of the differences from the means. */
static double covariance(const double a[CYCLE_PHASES], const double b[CYCLE_PHASES])
{
	const double of_a = mean_of(a, CYCLE_PHASES), of_b = mean_of(b, CYCLE_PHASES);
	double sum = 0;
	for (size_t i = 0; i < CYCLE_PHASES; i++)
		sum += (a[i] - of_a) * (b[i] - of_b);
	return sum;
}

/* Except for rounding. */
static bool is_constant(const double a[CYCLE_PHASES])
{
	const double mean = mean_of(a, CYCLE_PHASES);
	return covariance(a, a) <= 1e-12 * CYCLE_PHASES * mean * mean;
}

/* Pearson's; 0 if either is constant. */
static double correlation(const double a[CYCLE_PHASES], const double b[CYCLE_PHASES])
{
	return is_constant(a) || is_constant(b)
		   ? 0
		   : covariance(a, b) / sqrt(covariance(a, a) * covariance(b, b));
}

/* Phases of the shortest window with 95 % of the squares; it may include the start of the cycle. */
static size_t window(const double of[CYCLE_PHASES])
{
	double all = 0, sum = 0;
	size_t end = 0, min = CYCLE_PHASES;
	for (size_t i = 0; i < CYCLE_PHASES; i++)
		all += of[i] * of[i];
	for (size_t begin = 0; begin < CYCLE_PHASES; begin++) {
		while (sum < 0.95 * all && end < begin + CYCLE_PHASES) {
			sum += of[end % CYCLE_PHASES] * of[end % CYCLE_PHASES];
			end++;
		}
		if (sum >= 0.95 * all && end - begin < min)
			min = end - begin;
		sum -= of[begin] * of[begin];
	}
	return min;
}

/* Returns the value with this rank; moves smaller ones before it and larger ones after it. */
static double select_rank(double *v, ptrdiff_t n, ptrdiff_t rank)
{
	for (ptrdiff_t low = 0, high = n - 1; low < high;) {
		const double pivot = v[rank];
		ptrdiff_t i = low, j = high;
		while (i <= j) {
			for (; v[i] < pivot; i++)
				;
			for (; v[j] > pivot; j--)
				;
			if (i > j)
				break;
			const double moved = v[i];
			v[i++] = v[j];
			v[j--] = moved;
		}
		low = j < rank ? i : low;
		high = rank < i ? j : high;
	}
	return v[rank];
}

static void compare(struct cycle_shape *s, const double *amounts)
{
	size_t widths[CYCLE_PHASES + 1] = {0}, with_energy = 0;
	double of[CYCLE_PHASES], sum = 0;
	for (size_t c = 0; c < s->cycles; c++) {
		double energy = 0;
		for (size_t i = 0; i < CYCLE_PHASES; i++) {
			of[i] = amounts[i * s->cycles + c];
			energy += of[i] * of[i];
		}
		sum += correlation(of, s->mean);
		if (energy > 0) {
			with_energy++;
			widths[window(of)]++;
		}
	}
	size_t middle = 0, below = 0;
	while (with_energy > 0 && (below += widths[middle]) * 2 < with_energy)
		middle++;
	s->similarity = sum / (double)s->cycles;
	s->duty = with_energy > 0 ? (double)middle / CYCLE_PHASES : NAN;
}

static void describe(struct cycle_shape *s, double *amounts)
{
	const ptrdiff_t n = (ptrdiff_t)s->cycles;
	for (size_t i = 0; i < CYCLE_PHASES; i++)
		s->mean[i] = mean_of(amounts + i * s->cycles, s->cycles);
	compare(s, amounts);
	for (size_t i = 0; i < CYCLE_PHASES; i++) {
		s->low[i] = select_rank(amounts + i * s->cycles, n, (n - 1) / 4);
		s->high[i] = select_rank(amounts + i * s->cycles, n, (3 * n - 1) / 4);
	}
}

/* The last cycle may lack one phase. */
static size_t cycles_of(size_t n, double period)
{
	return (size_t)((double)n / period + 1.0 / CYCLE_PHASES);
}

bool cycle_shape_make(struct cycle_shape *s, const uint64_t *bins, size_t n, double period)
{
	*s = (struct cycle_shape){.cycles = cycles_of(n, period)};
	double *sums = calloc(n + 1, sizeof *sums),
	       *amounts = calloc(s->cycles * CYCLE_PHASES, sizeof *amounts);
	const bool done = sums != NULL && amounts != NULL;
	if (done) {
		add_bins(sums, bins, n);
		divide(amounts, s->cycles, sums, bins, n, period);
		describe(s, amounts);
	}
	free(sums);
	free(amounts);
	return done;
}

bool cycle_amount_make(struct cycle_amount *a, const uint64_t *bins, size_t n, double period)
{
	const size_t cycles = cycles_of(n, period);
	double *amounts = calloc(cycles + 1, sizeof *amounts), squares = 0;
	if (amounts == NULL)
		return false;
	for (size_t i = 0; i < n && (size_t)((double)i / period) < cycles; i++)
		amounts[(size_t)((double)i / period)] += (double)bins[i];
	a->mean = mean_of(amounts, cycles);
	for (size_t c = 0; c < cycles; c++)
		squares += (amounts[c] - a->mean) * (amounts[c] - a->mean);
	a->variation = a->mean > 0 ? sqrt(squares / (double)cycles) / a->mean : NAN;
	free(amounts);
	return true;
}
