/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A histogram of distances, in bins that are exact up to 128 and then 64 to an octave. A bin ends
 * at a size of cache at which the misses are exact.
 */
#ifndef LIB_SIMULATE_CURVE_H
#define LIB_SIMULATE_CURVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Initialize to zero. */
struct curve {
	double *bin; /* weights; after curve_finish(), of this bin and of larger distances */
	size_t capacity;
	uint64_t
	    largest; /* distance; caches of this size or more hit all references to known keys */
	double infinite; /* of references to new keys */
	double weight;   /* of all references */
};

enum { CURVE_EXACT_BITS = 7, CURVE_BINS = 1 << (CURVE_EXACT_BITS - 1) };

/* The bin of a distance >= 1. Bin i holds distances up to curve_end(i). */
static inline size_t curve_bin(uint64_t distance)
{
	const uint64_t v = distance - 1;
	if (v < 2 * CURVE_BINS)
		return (size_t)v;
	const unsigned shift = 64 - (unsigned)__builtin_clzll(v) - CURVE_EXACT_BITS;
	return shift * (size_t)CURVE_BINS + (size_t)(v >> shift);
}

static inline uint64_t curve_end(size_t bin)
{
	if (bin < 2 * CURVE_BINS)
		return bin + 1;
	const size_t shift = bin / CURVE_BINS - 1;
	if (shift >= 64 - CURVE_EXACT_BITS)
		return UINT64_MAX;
	return ((uint64_t)(bin % CURVE_BINS + CURVE_BINS) + 1) << shift;
}

/* Returns false if out of memory. */
bool curve_add(struct curve *c, uint64_t distance, double weight);
void curve_add_infinite(struct curve *c, double weight);
void curve_finish(struct curve *c);
/* The weight of references with larger distances, which miss in a cache of this size. */
double curve_misses(const struct curve *c, uint64_t capacity);
void curve_free(struct curve *c);

#endif
