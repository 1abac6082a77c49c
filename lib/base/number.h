/* SPDX-License-Identifier: BSD-2-Clause */
/* Conversion between digits and numbers. Inline because it runs several times per record. */
#ifndef LIB_BASE_NUMBER_H
#define LIB_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the value of a digit in base 10 or 16; a value >= base for other characters. */
static inline unsigned number_digit(char c, unsigned base)
{
	const unsigned digit = (unsigned char)c - (unsigned)'0',
		       letter = ((unsigned char)c | 32U) - 'a';
	return digit > 9 ? (base == 16 && letter < 6 ? letter + 10 : 99) : digit;
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
		const unsigned digit = number_digit(text[i], base);
		if (digit >= base || !number_append(&v, base, digit))
			return false;
	}
	*value = v;
	return n > 0;
}

/*
 * Parses the digits at *at and advances past them. Returns false if there are none or the number
 * does not fit in 64 bits.
 */
static inline bool number_scan(const char **at, const char *end, unsigned base, uint64_t *value)
{
	const char *p = *at;
	uint64_t v = 0;
	for (unsigned digit; p < end && (digit = number_digit(*p, base)) < base; p++)
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
