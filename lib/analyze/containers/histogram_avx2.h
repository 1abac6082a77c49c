/* SPDX-License-Identifier: BSD-2-Clause */
/* The sums and bins of four values at once, on processors where histogram_avx2_works. */
#ifndef LIB_ANALYZE_CONTAINERS_HISTOGRAM_AVX2_H
#define LIB_ANALYZE_CONTAINERS_HISTOGRAM_AVX2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HISTOGRAM_LANES = 4, HISTOGRAM_AVX2_BITS = 52 };

struct histogram_sums {
	uint64_t sum, squares; /* modulo 2^64; squares: only of values of up to 32 bits */
	uint64_t min, max;
	uint64_t bits; /* set in any value */
};

bool histogram_avx2_works(void);
/*
 * Sums n values, a multiple of HISTOGRAM_LANES, and stores the bin of each. min, max and bins are
 * undefined if any value has more than HISTOGRAM_AVX2_BITS bits.
 */
void histogram_sum_avx2(const uint64_t *values, size_t n, struct histogram_sums *sums,
			uint64_t *bins);

#endif
