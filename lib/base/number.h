/* SPDX-License-Identifier: BSD-2-Clause */
/* Digits to numbers and back. Inline: these run several times for every record. */
#ifndef LIB_BASE_NUMBER_H
#define LIB_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The value of text[0 .. n) in base 10 or 16; false if it is empty, has another character or does
 * not fit 64 bits.
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

/* Writes v without leading zeros, lower case, no NUL; returns the digits written. */
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
