/* SPDX-License-Identifier: BSD-2-Clause */
/* A seed of this process's own for its hashes, so that no input can be made to collide. */
#ifndef LIB_BASE_HASH_H
#define LIB_BASE_HASH_H

#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

static inline uint64_t hash_seed(void)
{
	uint64_t seed = 0x9e3779b97f4a7c15;
	const void *random = (const void *)getauxval(AT_RANDOM);
	if (random != NULL)
		memcpy(&seed, random, sizeof seed);
	return seed;
}

/* A hash of a number. Two steps, as numbers in regular steps can be bad for one. */
static inline uint64_t hash_mix(uint64_t seed, uint64_t number)
{
	const uint64_t factor = seed | 1, h = number * factor;
	return __builtin_bswap64((h ^ h >> 32) * factor);
}

#endif
