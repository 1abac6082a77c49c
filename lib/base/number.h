/* SPDX-License-Identifier: BSD-2-Clause */
/* Conversion between digits and numbers. Inline because it runs several times per record. */
#ifndef LIB_BASE_NUMBER_H
#define LIB_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Parses text[0..n) in base 10 or 16. Returns false if it is empty, contains another character or
 * does not fit in 64 bits.
 */
static inline bool number_parse(const char *text, size_t n, unsigned base, uint64_t *value)
{
	uint64_t v = 0;
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[i];
		unsigned digit = c - '0';
		if (digit > 9)
			digit = base == 16 && ((c | 32U) - 'a') < 6 ? (c | 32U) - 'a' + 10 : 99;
		if (digit >= base || __builtin_mul_overflow(v, (uint64_t)base, &v) ||
		    __builtin_add_overflow(v, (uint64_t)digit, &v))
			return false;
	}
	*value = v;
	return n > 0;
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

static inline size_t number_dec(char *out, uint64_t v)
{
	char buf[NUMBER_DIGITS_MAX];
	size_t n = 0;
	do
		buf[n++] = (char)('0' + v % 10);
	while ((v /= 10) != 0);
	for (size_t i = 0; i < n; i++)
		out[i] = buf[n - 1 - i];
	return n;
}

#endif
