/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Blackman and Vigna's xoshiro256**, whose state splitmix64 makes from the seed, as its authors
 * recommend.
 */
#include <string.h>

#include "random.h"

static uint64_t rotate(uint64_t x, int by)
{
	return x << by | x >> (64 - by);
}

static uint64_t split_mix(uint64_t *x)
{
	uint64_t z = *x += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static uint64_t next(uint64_t s[4])
{
	const uint64_t result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate(s[3], 45);
	return result;
}

void random_fill(void *memory, size_t size, uint64_t seed)
{
	uint64_t s[4];
	for (int i = 0; i < 4; i++)
		s[i] = split_mix(&seed);
	for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
		const uint64_t value = next(s);
		memcpy((char *)memory + at, &value, sizeof(value));
	}
}
