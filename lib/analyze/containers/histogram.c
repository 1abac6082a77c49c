/* SPDX-License-Identifier: BSD-2-Clause */
#include "histogram.h"

#include <math.h>

#include "histogram_avx2.h"

/* Return the 6 leading bits of the values of a bin above 64, and the number of bits that follow. */
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
 * Up to the first limit the sum of the squares of a block has 64 bits; up to the second one the
 * sums of a block and of its squares cannot exceed their types.
 */
enum { BLOCK = 256, LANES_MIN = 16 };
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

/* Sums in local variables. */
static struct histogram_sums sum_block(const uint64_t *values, size_t n, uint64_t *bin)
{
	struct histogram_sums s = {.min = UINT64_MAX};
	for (size_t i = 0; i < n; i++) {
		const uint64_t v = values[i];
		s.min = v < s.min ? v : s.min;
		s.max = v > s.max ? v : s.max;
		s.bits |= v;
		s.sum += v;
		s.squares += v * v;
		bin[histogram_index(v)]++;
	}
	return s;
}

/* Adds the sums of a block, whose bins have been counted. */
static void add_block(struct histogram *h, const struct histogram_sums *s, const uint64_t *values,
		      size_t n)
{
	h->min = h->count == 0 || s->min < h->min ? s->min : h->min;
	h->max = s->max > h->max ? s->max : h->max;
	h->count += n;
	if (s->bits > block_value_max) {
		add_sums(h, values, n);
		return;
	}
	h->sum = saturate_add(h->sum, s->sum);
	h->squares = saturate_add_wide(h->squares,
				       s->bits <= square_max ? s->squares : sum_squares(values, n));
}

/* Returns false, with nothing added, if a value is too large. */
static bool add_lanes(struct histogram *h, const uint64_t *values, size_t n)
{
	struct histogram_sums s;
	uint64_t bins[BLOCK];
	histogram_sum_avx2(values, n, &s, bins);
	if (s.bits >> HISTOGRAM_AVX2_BITS != 0)
		return false;
	for (size_t i = 0; i < n; i++)
		h->bin[bins[i]]++;
	add_block(h, &s, values, n);
	return true;
}

void histogram_add_list(struct histogram *h, const uint64_t *values, size_t n)
{
	const bool avx2 = n >= LANES_MIN && histogram_avx2_works();
	for (size_t at = 0, size; at < n; at += size) {
		size = n - at < BLOCK ? n - at : BLOCK;
		const size_t lanes = avx2 ? size - size % HISTOGRAM_LANES : 0;
		if (lanes > 0 && add_lanes(h, values + at, lanes)) {
			size = lanes;
			continue;
		}
		const struct histogram_sums s = sum_block(values + at, size, h->bin);
		add_block(h, &s, values + at, size);
	}
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
