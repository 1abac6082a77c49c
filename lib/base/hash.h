/* SPDX-License-Identifier: BSD-2-Clause */
/* Hashing with a seed that differs per process, so that no input can force collisions. */
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

/* Hashes a number. Two multiplications, because one maps some arithmetic progressions badly. */
static inline uint64_t hash_mix(uint64_t seed, uint64_t number)
{
	const uint64_t factor = seed | 1, h = number * factor;
	return __builtin_bswap64((h ^ h >> 32) * factor);
}

#endif
