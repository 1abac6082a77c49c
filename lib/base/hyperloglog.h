/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The number of distinct values, estimated from the registers of HyperLogLog (Flajolet et al.) with
 * the estimator of Ertl, which needs no correction of its bias. The standard error is 1.6 %.
 */
#ifndef LIB_BASE_HYPERLOGLOG_H
#define LIB_BASE_HYPERLOGLOG_H

#include <stdint.h>

enum { HLL_BITS = 12, HLL_REGISTERS = 1 << HLL_BITS, HLL_VALUE_MAX = 64 - HLL_BITS + 1 };

/* All zeros: no value. */
struct hyperloglog {
	uint8_t value[HLL_REGISTERS];
};

/* A hash of all 64 bits. */
static inline void hyperloglog_add(struct hyperloglog *h, uint64_t hash)
{
	const unsigned i = (unsigned)(hash >> (64 - HLL_BITS));
	const uint64_t rest = hash << HLL_BITS | (uint64_t)1 << (HLL_BITS - 1);
	const uint8_t rank = (uint8_t)(__builtin_clzll(rest) + 1);
	if (rank > h->value[i]) /* rarely */
		h->value[i] = rank;
}

/* Adds the values of another set. */
void hyperloglog_join(struct hyperloglog *h, const struct hyperloglog *more);
double hyperloglog_estimate(const struct hyperloglog *h);

#endif
