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
