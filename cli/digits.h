/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers as decimal text, two digits at a time: most of the work of writing tables. */
#ifndef IOT_CLI_DIGITS_H
#define IOT_CLI_DIGITS_H

#include <stdint.h>
#include <string.h>

static inline unsigned iot_digits_count(uint64_t v)
{
	for (unsigned n = 1;; n += 4, v /= 10000) {
		if (v < 10)
			return n;
		if (v < 100)
			return n + 1;
		if (v < 1000)
			return n + 2;
		if (v < 10000)
			return n + 3;
	}
}

/* Writes the last `count` digits of v, with zeros in front. Returns the end. */
static inline char *iot_digits_fixed(char *to, uint64_t v, unsigned count)
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

static inline char *iot_digits(char *to, uint64_t v)
{
	if (v < 10) {
		*to = (char)('0' + v);
		return to + 1;
	}
	return iot_digits_fixed(to, v, iot_digits_count(v));
}

/* At least `width` characters, blanks in front. */
static inline char *iot_digits_right(char *to, uint64_t v, unsigned width)
{
	unsigned count = iot_digits_count(v);
	for (; width > count; width--)
		*to++ = ' ';
	return iot_digits_fixed(to, v, count);
}

#endif
