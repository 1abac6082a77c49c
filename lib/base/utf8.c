/* SPDX-License-Identifier: BSD-2-Clause */
#include "utf8.h"

#include <string.h>

size_t utf8_size(const unsigned char *s, size_t n)
{
	size_t size = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if (size == 0 || size > n || s[0] > 0xf4)
		return 0;
	for (size_t i = 1; i < size; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return size;
}

uint32_t utf8_code_point(const unsigned char *s, size_t size)
{
	static const unsigned char first[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	uint32_t c = s[0] & first[size];
	for (size_t i = 1; i < size; i++)
		c = c << 6 | (s[i] & 0x3f);
	return c;
}

/*
 * Format characters (Unicode's Cf), blanks of unusual width, variation selectors and private use
 * are listed.
 */
bool utf8_is_treacherous(uint32_t c)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
	    {0x00a0, 0x00a0},   {0x00ad, 0x00ad},   {0x034f, 0x034f},   {0x0600, 0x0605},
	    {0x061c, 0x061c},   {0x06dd, 0x06dd},   {0x070f, 0x070f},   {0x0890, 0x0891},
	    {0x08e2, 0x08e2},   {0x115f, 0x1160},   {0x1680, 0x1680},   {0x17b4, 0x17b5},
	    {0x180b, 0x180f},   {0x2000, 0x200f},   {0x2028, 0x202f},   {0x205f, 0x206f},
	    {0x3000, 0x3000},   {0x3164, 0x3164},   {0xe000, 0xf8ff},   {0xfe00, 0xfe0f},
	    {0xfeff, 0xfeff},   {0xffa0, 0xffa0},   {0xfff0, 0xffff},   {0x110bd, 0x110bd},
	    {0x110cd, 0x110cd}, {0x13430, 0x1345f}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
	    {0xe0000, 0x10ffff}};
	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	return false;
}

size_t utf8_shown_size(const char *s, size_t n)
{
	const unsigned char *at = (const unsigned char *)s;
	const size_t size = n > 0 ? utf8_size(at, n) : 0;
	if (size == 0)
		return 0;
	const uint32_t c = utf8_code_point(at, size);
	const bool controls = c < 0x20 || (c >= 0x7f && c < 0xa0) || (c & 0xfffe) == 0xfffe;
	return controls || utf8_is_treacherous(c) ? 0 : size;
}

/* The size of a prefix that is unchanged in every table: most names are that entirely. */
static size_t plain_size(const char *text, size_t size)
{
	size_t i = 0;
	while (i < size && text[i] > ' ' && text[i] < 0x7f && text[i] != '%' && text[i] != '"' &&
	       text[i] != ',' && text[i] != '\\')
		i++;
	return i;
}

static size_t percent_bytes(char *out, const char *text, size_t size)
{
	static const char hex[] = "0123456789ABCDEF";
	for (size_t i = 0; i < size; i++) {
		const unsigned char c = (unsigned char)text[i];
		*out++ = '%';
		*out++ = hex[c >> 4];
		*out++ = hex[c & 15];
	}
	return 3 * size;
}

size_t percent_encode(char *out, const char *text, size_t size, const char *also)
{
	size_t used = plain_size(text, size), step;
	memcpy(out, text, used);
	for (size_t i = used; i < size; i += step) {
		step = utf8_shown_size(text + i, size - i);
		if (step > 0 && text[i] != '%' && strchr(also, text[i]) == NULL) {
			memcpy(out + used, text + i, step);
			used += step;
			continue;
		}
		step = step > 0 ? step : utf8_size((const unsigned char *)text + i, size - i);
		step = step > 0 ? step : 1;
		used += percent_bytes(out + used, text + i, step);
	}
	return used;
}

size_t percent_encode_cell(char *out, const char *text, size_t size, const char *also)
{
	const bool formula = size > 1 && text[0] != '\0' && strchr("=+-@", text[0]) != NULL;
	const size_t used = formula ? percent_bytes(out, text, 1) : 0;
	return used + percent_encode(out + used, text + formula, size - formula, also);
}
