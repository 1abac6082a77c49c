/* SPDX-License-Identifier: BSD-2-Clause */
#include "word.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "number.h"

/*
 * Returns a word in which the high bit is set in the first byte of x that equals c, and possibly in
 * following bytes.
 */
static uint64_t first_equal(uint64_t x, char c)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), zero = x ^ ones * (unsigned char)c;
	return (zero - ones) & ~zero & ones << 7;
}

const char *word_end(const char *p, const char *end)
{
#ifdef __SSE2__
	for (; end - p >= 16; p += 16) {
		const __m128i text = _mm_loadu_si128((const void *)p);
		const __m128i found = _mm_or_si128(_mm_cmpeq_epi8(text, _mm_set1_epi8(' ')),
						   _mm_cmpeq_epi8(text, _mm_set1_epi8('\t')));
		const int at = _mm_movemask_epi8(found);
		if (at != 0)
			return p + __builtin_ctz((unsigned)at);
	}
#endif
	for (; end - p >= 8; p += 8) {
		const uint64_t x = number_load(p);
		const uint64_t found = first_equal(x, ' ') | first_equal(x, '\t');
		if (found != 0)
			return p + __builtin_ctzll(found) / 8;
	}
	while (p < end && !is_blank(*p))
		p++;
	return p;
}

bool word_next(struct iot_text *rest, struct iot_text *word)
{
	const char *end = rest->data + rest->size, *from = skip_blanks(rest->data, end);
	const char *at = word_end(from, end);
	*word = (struct iot_text){from, (size_t)(at - from)};
	*rest = (struct iot_text){at, (size_t)(end - at)};
	return word->size > 0;
}
