/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which characters of a name are printed unchanged. main sets the locale; nothing changes it later.
 */
#include "printable.h"

#include <langinfo.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#include "lib/base/error.h"
#include "lib/base/significant.h"
#include "lib/base/utf8.h"

enum { PIECE_MAX = 16 }; /* four bytes as \xHH */

static bool is_utf8(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

static bool is_shown(uint32_t c)
{
	return c < 0x80
		   ? c >= 0x20 && c < 0x7f && c != '\\'
		   : iswprint((wint_t)c) && wcwidth((wchar_t)c) >= 0 && !utf8_is_treacherous(c);
}

/* The representation of the character at s, and its size in s. */
static size_t make_piece(char piece[PIECE_MAX + 1], const unsigned char *s, size_t n, size_t *used)
{
	const size_t size = utf8_size(s, n);
	*used = size > 0 ? size : 1;
	if (size > 0 && is_shown(utf8_code_point(s, size))) {
		memcpy(piece, s, size);
		return size;
	}
	if (s[0] == '\\') {
		memcpy(piece, "\\\\", 2);
		return 2;
	}
	for (size_t i = 0; i < *used; i++)
		snprintf(piece + 4 * i, 5, "\\x%02x", s[i]);
	return 4 * *used;
}

char *printable(char *out, size_t size, const char *text, size_t n)
{
	char piece[PIECE_MAX + 1];
	size_t filled = 0, used;
	size_t cut = 0; /* the last boundary between two pieces that leaves space for "..." */
	if (!is_utf8())
		return escape_text(out, size, text, n);
	for (size_t i = 0; i < n; i += used) {
		const size_t more =
		    make_piece(piece, (const unsigned char *)text + i, n - i, &used);
		if (filled + sizeof "..." <= size)
			cut = filled;
		if (filled + more >= size) {
			memcpy(out + cut, "...", sizeof "...");
			return out;
		}
		memcpy(out + filled, piece, more);
		filled += more;
	}
	out[filled] = '\0';
	return out;
}

char *printable_renamed(char *out, size_t size, struct iot_text last, struct iot_text first)
{
	static const char was[] = " (was ";
	printable(out, size, last.data, last.size);
	const size_t used = strlen(out) + sizeof was;
	if (first.data == NULL || used + 4 >= size)
		return out;
	strcat(out, was);
	printable(out + used - 1, size - used, first.data, first.size);
	return strcat(out, ")");
}

/* A byte that is escaped at `at`, as \xHH; -1: none is. */
static int escaped_byte(const char *at)
{
	static const char digits[] = "0123456789abcdef";
	if (at[0] != '\\' || at[1] != 'x' || at[2] == '\0' || at[3] == '\0')
		return -1;
	const char *high = strchr(digits, at[2]), *low = strchr(digits, at[3]);
	return high != NULL && low != NULL ? (int)((high - digits) * 16 + (low - digits)) : -1;
}

/* The printable character whose bytes are escaped from `at`; its size, or 0. */
static size_t escaped_character(const char *at, unsigned char bytes[4])
{
	size_t n = 0;
	for (int byte; n < 4 && (byte = escaped_byte(at + 4 * n)) >= 0; n++)
		bytes[n] = (unsigned char)byte;
	const size_t size = n > 0 ? utf8_size(bytes, n) : 0;
	return size > 1 && is_shown(utf8_code_point(bytes, size)) ? size : 0;
}

void printable_sentence(char *text)
{
	char *to = text;
	if (!is_utf8())
		return;
	while (*text != '\0') {
		unsigned char bytes[4];
		const size_t size = escaped_character(text, bytes);
		if (size > 0) {
			memcpy(to, bytes, size);
			to += size;
			text += 4 * size;
			continue;
		}
		if (text[0] == '\\' && text[1] == '\\')
			*to++ = *text++;
		*to++ = *text++;
	}
	*to = '\0';
}

size_t printable_width(const char *text)
{
	const size_t n = strlen(text);
	size_t width = 0, size;
	for (size_t i = 0; i < n; i += size) {
		const unsigned char *s = (const unsigned char *)text + i;
		size = utf8_size(s, n - i);
		const int columns = size > 1 ? wcwidth((wchar_t)utf8_code_point(s, size)) : 1;
		width += columns > 0 ? (size_t)columns : 0;
		size = size > 0 ? size : 1;
	}
	return width;
}

const char *printable_bytes(char *text, size_t capacity, uint64_t bytes)
{
	static const char units[] = "KMGTPE";
	double value = (double)bytes / 1024;
	size_t i = 0;
	if (bytes < 1024) {
		snprintf(text, capacity, "%ju B", (uintmax_t)bytes);
		return text;
	}
	for (; value >= 999.5 && units[i + 1]; i++)
		value /= 1024;
	snprintf(text, capacity,
		 value < 9.995   ? "%.2f %ciB"
		 : value < 99.95 ? "%.1f %ciB"
				 : "%.0f %ciB",
		 value, units[i]);
	return text;
}

const char *printable_time(char *text, size_t capacity, double ns)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	char number[SIGNIFICANT];
	unsigned unit = 0;
	for (; ns >= 999.5 && unit < 3; unit++)
		ns /= 1000;
	snprintf(text, capacity, "%s %s", significant(number, ns, 3), units[unit]);
	return text;
}

const char *printable_real(char text[REAL_CAPACITY], double value)
{
	int digits = 15;
	do
		snprintf(text, REAL_CAPACITY, "%.*g", digits, value);
	while (digits++ < 17 && strtod(text, NULL) != value);
	return text;
}
