/* SPDX-License-Identifier: BSD-2-Clause */
#include "histogram.h"

#include <math.h>

/* Of a bin above 64: the 6 leading bits of its values, and the number of bits that follow. */
static uint64_t leading(unsigned bin)
{
	return 32 + (bin - 65) % 32;
}

static unsigned following(unsigned bin)
{
	return 1 + (bin - 65) / 32;
}

uint64_t histogram_lower(unsigned bin)
{
	return bin <= 64 ? bin : (leading(bin) << following(bin)) + 1;
}

uint64_t histogram_upper(unsigned bin)
{
	if (bin <= 64)
		return bin;
	return bin == HISTOGRAM_BINS - 1 ? UINT64_MAX : (leading(bin) + 1) << following(bin);
}

/*
 * Up to the first limit the sum of the squares of a block has 64 bits; up to the second one the sums
 * of a block and of its squares cannot exceed their types.
 */
enum { BLOCK = 256 };
static const uint64_t square_max = ((uint64_t)1 << 28) - 1, block_value_max = (uint64_t)1 << 55;

/* Saturating sums, of values that may be large. */
static void add_sums(struct histogram *h, const uint64_t *values, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		h->sum = saturate_add(h->sum, values[i]);
		h->squares = saturate_add_wide(h->squares, (uint128)values[i] * values[i]);
	}
}

static uint128 sum_squares(const uint64_t *values, size_t n)
{
	uint128 squares = 0;
	for (size_t i = 0; i < n; i++)
		squares += (uint128)values[i] * values[i];
	return squares;
}

/* Sums in local variables, and adds these to the histogram once. */
static void add_block(struct histogram *h, const uint64_t *values, size_t n)
{
	uint64_t sum = 0, squares = 0, min = h->count > 0 ? h->min : UINT64_MAX, max = h->max;
	uint64_t bits = 0;
	for (size_t i = 0; i < n; i++) {
		const uint64_t v = values[i];
		if (v < min)
			min = v;
		if (v > max)
			max = v;
		bits |= v;
		sum += v;
		squares += v * v;
		h->bin[histogram_index(v)]++;
	}
	h->min = min;
	h->max = max;
	h->count += n;
	if (bits > block_value_max) {
		add_sums(h, values, n);
		return;
	}
	h->sum = saturate_add(h->sum, sum);
	h->squares =
	    saturate_add_wide(h->squares, bits <= square_max ? squares : sum_squares(values, n));
}

void histogram_add_list(struct histogram *h, const uint64_t *values, size_t n)
{
	for (size_t at = 0; at < n; at += BLOCK)
		add_block(h, values + at, n - at < BLOCK ? n - at : BLOCK);
}

void histogram_join(struct histogram *h, const struct histogram *more)
{
	if (more->count == 0)
		return;
	h->min = h->count == 0 || more->min < h->min ? more->min : h->min;
	h->max = more->max > h->max ? more->max : h->max;
	h->count += more->count;
	h->sum = saturate_add(h->sum, more->sum);
	h->squares = saturate_add_wide(h->squares, more->squares);
	for (unsigned i = 0; i < HISTOGRAM_BINS; i++)
		h->bin[i] += more->bin[i];
}

uint64_t histogram_up_to(const struct histogram *h, uint64_t v)
{
	uint64_t n = 0;
	for (unsigned i = 0; i < HISTOGRAM_BINS && histogram_upper(i) <= v; i++)
		n += h->bin[i];
	return n;
}

double histogram_mean(const struct histogram *h)
{
	return (double)h->sum / (double)h->count;
}

/* n * squares - sum^2 exceeds 128 bits: the difference is exact as long as n * squares fits. */
double histogram_deviation(const struct histogram *h)
{
	const uint128 sum = (uint128)h->sum * h->sum;
	uint128 product;
	if (!__builtin_mul_overflow(h->squares, (uint128)h->count, &product))
		return product > sum ? sqrt((double)(product - sum)) / (double)h->count : 0;
	const double mean = histogram_mean(h);
	const double variance = (double)h->squares / (double)h->count - mean * mean;
	return variance > 0 ? sqrt(variance) : 0;
}

double histogram_quantile(const struct histogram *h, unsigned permille)
{
	uint64_t below = 0;
	for (unsigned i = 0; i < HISTOGRAM_BINS; i++) {
		below += h->bin[i];
		if ((uint128)below * 1000 >= (uint128)h->count * permille && below > 0)
			return ((double)histogram_lower(i) + (double)histogram_upper(i)) / 2;
	}
	return (double)h->max;
}
