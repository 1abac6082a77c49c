/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Log-linear histograms of 64-bit values: 32 bins per octave, whose upper bounds belong to them.
 * All powers of two and all limits of Darshan's size classes are upper bounds, so the share of
 * values up to one of these is exact.
 */
#ifndef LIB_ANALYZE_CONTAINERS_HISTOGRAM_H
#define LIB_ANALYZE_CONTAINERS_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "saturate.h"

enum { HISTOGRAM_BINS = 1921 };

/* All zeros: empty. Sums saturate, so that they do not depend on the order. */
struct histogram {
	uint64_t count, sum, min, max; /* min and max only if count > 0 */
	uint128 squares;
	uint64_t bin[HISTOGRAM_BINS];
};

/*
 * Above 64, a bin has the values v with equal 6 leading bits of v - 1: of a double, these are the
 * exponent and the first 5 bits of the mantissa. Finding the highest bit takes longer.
 */
static inline unsigned histogram_index(uint64_t v)
{
	const uint64_t u = v - 1;
	double number;
	uint64_t bits;
	if (v > UINT64_C(1) << 52) {
		const unsigned following = 58U - (unsigned)__builtin_clzll(u);
		return (unsigned)(u >> following) + 32 * following + 1;
	}
	number = (double)(int64_t)u;
	memcpy(&bits, &number, sizeof bits);
	return (unsigned)(v > 32 ? (bits >> 47) - (32 * 1023 + 127) : v);
}

static inline void histogram_add(struct histogram *h, uint64_t v)
{
	h->min = h->count == 0 || v < h->min ? v : h->min;
	h->max = v > h->max ? v : h->max;
	h->count++;
	h->sum = saturate_add(h->sum, v);
	h->squares = saturate_add_wide(h->squares, (uint128)v * v);
	h->bin[histogram_index(v)]++;
}

/* Adds v n times. */
static inline void histogram_add_many(struct histogram *h, uint64_t v, uint64_t n)
{
	uint64_t sum;
	uint128 squares;
	if (n == 0)
		return;
	if (__builtin_mul_overflow(v, n, &sum))
		sum = UINT64_MAX;
	if (__builtin_mul_overflow((uint128)v * v, (uint128)n, &squares))
		squares = ~(uint128)0;
	h->min = h->count == 0 || v < h->min ? v : h->min;
	h->max = v > h->max ? v : h->max;
	h->count += n;
	h->sum = saturate_add(h->sum, sum);
	h->squares = saturate_add_wide(h->squares, squares);
	h->bin[histogram_index(v)] += n;
}

/* Adds each of n values. */
void histogram_add_list(struct histogram *h, const uint64_t *values, size_t n);
/* The bounds of a bin, both inclusive. */
uint64_t histogram_lower(unsigned bin);
uint64_t histogram_upper(unsigned bin);
void histogram_join(struct histogram *h, const struct histogram *more);
/* The number of values <= v; exact if v is the upper bound of a bin. */
uint64_t histogram_up_to(const struct histogram *h, uint64_t v);

/* Of histograms that are not empty. */
double histogram_mean(const struct histogram *h);
double histogram_deviation(const struct histogram *h); /* of the whole population */
/* The mid-point of the lowest bin up to which at least `permille` / 1000 of the values are. */
double histogram_quantile(const struct histogram *h, unsigned permille);

#endif
