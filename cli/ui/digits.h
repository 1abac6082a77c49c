/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers as decimal text, two digits at a time: most of the work of writing tables. */
#ifndef CLI_UI_DIGITS_H
#define CLI_UI_DIGITS_H

#include <stdint.h>
#include <string.h>

/* Branch-free: the number of digits is unpredictable. */
static inline unsigned digits_count(uint64_t v)
{
	static const uint64_t power[] = {
	    0,
	    10,
	    100,
	    1000,
	    10000,
	    100000,
	    1000000,
	    10000000,
	    100000000,
	    1000000000,
	    10000000000,
	    100000000000,
	    1000000000000,
	    10000000000000,
	    100000000000000,
	    1000000000000000,
	    10000000000000000,
	    100000000000000000,
	    1000000000000000000,
	    10000000000000000000U,
	};
	/* 1233 / 4096 approximates log10(2); the result is at most one too high. */
	unsigned candidate = (64U - (unsigned)__builtin_clzll(v | 1)) * 1233 >> 12;
	return candidate + (v >= power[candidate]);
}

/* Writes the last `count` digits of v, with leading zeros. Returns the end. */
static inline char *digits_fixed(char *to, uint64_t v, unsigned count)
{
	static const char pairs[] =
	    "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
	    "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
	    "8081828384858687888990919293949596979899";
	unsigned left = count;
	for (; left >= 2; left -= 2, v /= 100)
		memcpy(to + left - 2, pairs + 2 * (v % 100), 2);
	if (left == 1)
		to[0] = (char)('0' + v % 10);
	return to + count;
}

/*
 * The eight digits of v < 10^8, first one in the lowest byte: halves, then quarters, in parallel.
 */
static inline uint64_t digits_eight(uint32_t v)
{
	uint64_t four = v / 10000 | (uint64_t)(v % 10000) << 32;
	uint64_t hundreds = (four * 10486 >> 20) & 0x0000007f0000007fU;
	uint64_t two = hundreds | (four - 100 * hundreds) << 16;
	uint64_t tens = (two * 103 >> 10) & 0x000f000f000f000fU;
	return (tens | (two - 10 * tens) << 8) + 0x3030303030303030U;
}

/* Writes eight bytes, lowest first; the next number may overwrite some. */
static inline void digits_store(char *to, uint64_t bytes)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	bytes = __builtin_bswap64(bytes);
#endif
	memcpy(to, &bytes, sizeof bytes);
}

enum { DIGITS_CAPACITY = 28 }; /* maximum size of one number while it is written */

/* v >= 10^8: the digits before the last eight, then those. Out of line, because it is rare. */
static __attribute__((noinline, unused)) char *digits_long(char *to, uint64_t v)
{
	const uint64_t eight = 100000000;
	if (v / eight >= eight)
		to = digits_long(to, v / eight);
	else
		to = digits_fixed(to, v / eight, digits_count(v / eight));
	digits_store(to, digits_eight((uint32_t)(v % eight)));
	return to + 8;
}

static inline char *digits(char *to, uint64_t v)
{
	if (v >= 100000000)
		return digits_long(to, v);
	unsigned count = digits_count(v);
	digits_store(to, digits_eight((uint32_t)v) >> 8 * (8 - count));
	return to + count;
}

/* Pads to at least `width` characters with leading blanks. */
static inline char *digits_right(char *to, uint64_t v, unsigned width)
{
	unsigned count = digits_count(v);
	for (; width > count; width--)
		*to++ = ' ';
	return digits_fixed(to, v, count);
}

#endif
