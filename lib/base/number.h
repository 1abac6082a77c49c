/* SPDX-License-Identifier: BSD-2-Clause */
/* Conversion between digits and numbers. Inline because it runs several times per record. */
#ifndef LIB_BASE_NUMBER_H
#define LIB_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The value of each character as a hexadecimal digit; 255 for others. */
#define X   255
#define X4  X, X, X, X
#define X16 X4, X4, X4, X4
#define X64 X16, X16, X16, X16
static const uint8_t number_digits[256] = {
    X16, X16, X16,                                      /* 0x00 */
    0,   1,   2,   3,  4,  5,  6,  7, 8,  9,  X, X, X4, /* 0x30 */
    X,   10,  11,  12, 13, 14, 15, X, X4, X4,           /* 0x40 */
    X16,                                                /* 0x50 */
    X,   10,  11,  12, 13, 14, 15, X, X4, X4,           /* 0x60 */
    X16, X64, X64,                                      /* 0x70 */
};
#undef X
#undef X4
#undef X16
#undef X64

/* Returns the value of a digit in any base; a value >= base for other characters. */
static inline unsigned number_digit(char c)
{
	return number_digits[(unsigned char)c];
}

/* Appends a digit. Returns false if the number does not fit in 64 bits. */
static inline bool number_append(uint64_t *v, unsigned base, unsigned digit)
{
	return !__builtin_mul_overflow(*v, (uint64_t)base, v) &&
	       !__builtin_add_overflow(*v, (uint64_t)digit, v);
}

/*
 * Parses text[0..n) in base 10 or 16. Returns false if it is empty, contains another character or
 * does not fit in 64 bits.
 */
static inline bool number_parse(const char *text, size_t n, unsigned base, uint64_t *value)
{
	uint64_t v = 0;
	for (size_t i = 0; i < n; i++) {
		const unsigned digit = number_digit(text[i]);
		if (digit >= base || !number_append(&v, base, digit))
			return false;
	}
	*value = v;
	return n > 0;
}

/* Loads eight characters, the first one in the lowest byte. */
static inline uint64_t number_load(const char *text)
{
	uint64_t bytes;
	memcpy(&bytes, text, sizeof bytes);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	bytes = __builtin_bswap64(bytes);
#endif
	return bytes;
}

/* Returns how many of eight loaded characters, from the first one, are decimal digits. */
static inline unsigned number_leading(uint64_t bytes)
{
	bytes ^= 0x3030303030303030U;
	/* A carry only reaches bytes after the first that is not a digit. */
	const uint64_t other = ((bytes + 0x7676767676767676U) | bytes) & 0x8080808080808080U;
	return other == 0 ? 8 : (unsigned)__builtin_ctzll(other) / 8;
}

/* Returns the number that eight loaded digits form; only the low four bits of each count. */
static inline uint32_t number_of_eight(uint64_t bytes)
{
	const uint64_t digits = 0x0f0f0f0f0f0f0f0fU, pairs = 0x000000ff000000ffU;
	bytes = (bytes & digits) * 10 + ((bytes & digits) >> 8); /* pairs, in every other byte */
	return (uint32_t)(((bytes & pairs) * (100 + (UINT64_C(1000000) << 32)) +
			   (bytes >> 16 & pairs) * (1 + (UINT64_C(10000) << 32))) >>
			  32);
}

enum { NUMBER_LOADED = 24 /* bytes that number_loaded() may load */ };

/*
 * Reads the decimal digits at the beginning of a text. Returns their number, at most NUMBER_LOADED.
 * *value is the number that they form if there are at most 19 of them.
 */
static inline unsigned number_loaded(const char *text, uint64_t *value)
{
	static const uint32_t power[9] = {1,      10,      100,      1000,     10000,
					  100000, 1000000, 10000000, 100000000};
	uint64_t v = 0;
	unsigned n = 8, all = 0;
	for (; n == 8 && all < NUMBER_LOADED; all += n) {
		const uint64_t bytes = number_load(text + all);
		n = number_leading(bytes);
		if (n > 0)
			v = v * power[n] + number_of_eight(bytes << (64 - 8 * n));
	}
	*value = v;
	return all;
}

/*
 * Parses the digits at *at and advances past them. Returns false if there are none or the number
 * does not fit in 64 bits.
 */
static inline bool number_scan(const char **at, const char *end, unsigned base, uint64_t *value)
{
	const char *p = *at;
	const ptrdiff_t fit = base == 10 ? 19 : 16; /* any number of this many digits fits */
	const char *safe = end - p > fit ? p + fit : end;
	uint64_t v = 0;
	unsigned digit;
	for (; p < safe && (digit = number_digit(*p)) < base; p++)
		v = v * base + digit;
	for (; p < end && (digit = number_digit(*p)) < base; p++)
		if (!number_append(&v, base, digit))
			return false;
	if (p == *at)
		return false;
	*value = v;
	*at = p;
	return true;
}

static inline bool number_decimal(const char *text, size_t n, uint64_t *value)
{
	return number_parse(text, n, 10, value);
}

enum { NUMBER_DIGITS_MAX = 20 };

/* Writes v without leading zeros, in lower case, without NUL; returns the number of digits. */
static inline size_t number_hex(char *out, uint64_t v)
{
	size_t n = v == 0 ? 1 : (67U - (unsigned)__builtin_clzll(v)) / 4;
	for (size_t i = n; i-- > 0; v >>= 4)
		out[i] = "0123456789abcdef"[v & 15];
	return n;
}

/* Returns the number of decimal digits. Branch-free, because it is unpredictable. */
static inline unsigned number_count(uint64_t v)
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
static inline char *number_fixed(char *to, uint64_t v, unsigned count)
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

/* Writes v in decimal, without leading zeros or NUL; returns the number of digits. */
static inline size_t number_dec(char *out, uint64_t v)
{
	const unsigned n = number_count(v);
	number_fixed(out, v, n);
	return n;
}

/*
 * The eight digits of v < 10^8, first one in the lowest byte: halves, then quarters, in parallel.
 */
static inline uint64_t number_eight(uint32_t v)
{
	uint64_t four = v / 10000 | (uint64_t)(v % 10000) << 32;
	uint64_t hundreds = (four * 10486 >> 20) & 0x0000007f0000007fU;
	uint64_t two = hundreds | (four - 100 * hundreds) << 16;
	uint64_t tens = (two * 103 >> 10) & 0x000f000f000f000fU;
	return (tens | (two - 10 * tens) << 8) + 0x3030303030303030U;
}

/* Writes eight bytes, lowest first; the next number may overwrite some. */
static inline void number_store(char *to, uint64_t bytes)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	bytes = __builtin_bswap64(bytes);
#endif
	memcpy(to, &bytes, sizeof bytes);
}

static inline char *number_fast(char *to, uint64_t v);

/* v >= 10^8: the digits before the last eight, then those. Out of line, because it is rare. */
static __attribute__((noinline, unused)) char *number_long(char *to, uint64_t v)
{
	const uint64_t eight = 100000000;
	to = number_fast(to, v / eight);
	number_store(to, number_eight((uint32_t)(v % eight)));
	return to + 8;
}

enum { NUMBER_FAST_CAPACITY = 28 };

/*
 * As number_dec, for tables, where numbers are most of the work: returns the end, and may write up
 * to NUMBER_FAST_CAPACITY bytes.
 */
static inline char *number_fast(char *to, uint64_t v)
{
	if (v >= 100000000)
		return number_long(to, v);
	unsigned count = number_count(v);
	number_store(to, number_eight((uint32_t)v) >> 8 * (8 - count));
	return to + count;
}

/* Pads to at least `width` characters with leading blanks. */
static inline char *number_right(char *to, uint64_t v, unsigned width)
{
	unsigned count = number_count(v);
	for (; width > count; width--)
		*to++ = ' ';
	return number_fixed(to, v, count);
}

#endif
