/* SPDX-License-Identifier: BSD-2-Clause */
#include "cycle_shape.h"

#include <math.h>
#include <stdlib.h>

/* The sum of the bins up to a time, which may be within a bin. */
static double sum_until(const double *sums, const uint64_t *bins, size_t n, double time)
{
	const size_t bin = time > 0 ? (size_t)time : 0;
	if (time <= 0)
		return 0;
	return bin < n ? sums[bin] + (time - (double)bin) * (double)bins[bin] : sums[n];
}

static void add_bins(double *sums, const uint64_t *bins, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sums[i + 1] = sums[i] + (double)bins[i];
}

/* amounts[phase * cycles + cycle] */
static void divide(double *amounts, const struct cycle_span *span, const double *sums,
		   const uint64_t *bins, size_t n)
{
	const double origin = (double)span->origin, phase = span->period / CYCLE_PHASES;
	double until = sum_until(sums, bins, n, origin);
	for (size_t i = 0; i < span->cycles * CYCLE_PHASES; i++) {
		const double next = sum_until(sums, bins, n, origin + (double)(i + 1) * phase);
		amounts[i % CYCLE_PHASES * span->cycles + i / CYCLE_PHASES] = next - until;
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

bool cycle_shape_make(struct cycle_shape *s, const uint64_t *bins, size_t n,
		      const struct cycle_span *span)
{
	*s = (struct cycle_shape){.cycles = span->cycles};
	double *sums = calloc(n + 1, sizeof *sums),
	       *amounts = calloc(s->cycles * CYCLE_PHASES, sizeof *amounts);
	const bool done = sums != NULL && amounts != NULL;
	if (done) {
		add_bins(sums, bins, n);
		divide(amounts, span, sums, bins, n);
		describe(s, amounts);
	}
	free(sums);
	free(amounts);
	return done;
}

/* A bin belongs to the cycle in which it begins. */
static void add_amounts(double *amounts, const uint64_t *bins, size_t n,
			const struct cycle_span *span)
{
	const size_t from = span->origin > 0 ? (size_t)span->origin : 0;
	for (size_t i = from; i < n; i++) {
		const double cycle = (double)((int64_t)i - span->origin) / span->period;
		if (cycle >= (double)span->cycles)
			return;
		amounts[(size_t)cycle] += (double)bins[i];
	}
}

bool cycle_amount_make(struct cycle_amount *a, const uint64_t *bins, size_t n,
		       const struct cycle_span *span)
{
	double *amounts = calloc(span->cycles + 1, sizeof *amounts), squares = 0;
	if (amounts == NULL)
		return false;
	add_amounts(amounts, bins, n, span);
	a->mean = mean_of(amounts, span->cycles);
	for (size_t c = 0; c < span->cycles; c++)
		squares += (amounts[c] - a->mean) * (amounts[c] - a->mean);
	a->variation = a->mean > 0 ? sqrt(squares / (double)span->cycles) / a->mean : NAN;
	free(amounts);
	return true;
}
