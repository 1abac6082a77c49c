/* SPDX-License-Identifier: BSD-2-Clause */
#include "markup.h"

#include <stdint.h>
#include <stdio.h>

#include "lib/base/utf8.h"

enum { PIECE_CAPACITY = 8 };

/* The representation of a character of `size` bytes, 0 if it is not shown; returns its size. */
static size_t escape(char piece[PIECE_CAPACITY], const char *s, size_t size)
{
	static const struct {
		char of;
		const char *text;
	} escapes[] = {{'&', "&amp;"},  {'<', "&lt;"},   {'>', "&gt;"},
		       {'"', "&quot;"}, {'\'', "&#39;"}, {'\\', "\\\\"}};
	for (size_t i = 0; i < sizeof escapes / sizeof escapes[0]; i++)
		if (*s == escapes[i].of)
			return (size_t)snprintf(piece, PIECE_CAPACITY, "%s", escapes[i].text);
	if (size == 0)
		return (size_t)snprintf(piece, PIECE_CAPACITY, "\\x%02x", (unsigned char)*s);
	memcpy(piece, s, size);
	return size;
}

/* Returns the columns that a character takes; Chinese ones and symbols are wide. */
static size_t width_of(const char *s, size_t size)
{
	return size == 0 ? 4 : size >= 3 || *s == '\\' ? 2 : 1;
}

/* Writes the characters that fit in `max` columns; returns the bytes of text that these are. */
static size_t write_characters(struct output *o, const char *text, size_t n, size_t max)
{
	char piece[PIECE_CAPACITY];
	size_t i = 0;
	while (i < n) {
		const size_t size = utf8_shown_size(text + i, n - i),
			     width = width_of(text + i, size);
		if (width > max)
			break;
		max -= width;
		output_write(o, piece, escape(piece, text + i, size));
		i += size > 0 ? size : 1;
	}
	return i;
}

void markup_write(struct output *o, const char *text, size_t n)
{
	write_characters(o, text, n, SIZE_MAX);
}

void markup_text(struct output *o, const char *text)
{
	markup_write(o, text, strlen(text));
}

/* Stores the columns of a text; returns the number of bytes that fit in `max` of them. */
static size_t measure(const char *text, size_t n, size_t max, size_t *columns)
{
	size_t i = 0;
	*columns = 0;
	while (i < n) {
		const size_t size = utf8_shown_size(text + i, n - i),
			     width = width_of(text + i, size);
		if (width > max - *columns)
			break;
		*columns += width;
		i += size > 0 ? size : 1;
	}
	return i;
}

bool markup_is_longer(const char *text, size_t n, size_t max)
{
	size_t columns;
	return measure(text, n, max, &columns) < n;
}

void markup_shortened(struct output *o, const char *text, size_t n, size_t max)
{
	const size_t end = max / 2, begin = max - 1 - end;
	size_t columns, at;
	if (!markup_is_longer(text, n, max)) {
		markup_write(o, text, n);
		return;
	}
	write_characters(o, text, n, begin);
	output_text(o, "\xe2\x80\xa6");
	measure(text, n, SIZE_MAX, &columns);
	at = measure(text, n, columns - end, &columns);
	markup_write(o, text + at, n - at);
}
