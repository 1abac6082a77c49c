/* SPDX-License-Identifier: BSD-2-Clause */
#include "markup.h"

#include <stdint.h>
#include <stdio.h>

#include "printable.h"

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

/* Writes up to `max` characters; returns the bytes of text that these are. */
static size_t write_characters(struct output *o, const char *text, size_t n, size_t max)
{
	char piece[PIECE_CAPACITY];
	size_t i = 0;
	for (; i < n && max > 0; max--) {
		const size_t size = utf8_shown_size(text + i, n - i);
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

/* Returns the number of bytes of the first `count` characters. */
static size_t skip(const char *text, size_t n, size_t count)
{
	size_t i = 0;
	for (; i < n && count > 0; count--) {
		const size_t size = utf8_shown_size(text + i, n - i);
		i += size > 0 ? size : 1;
	}
	return i;
}

static size_t count_characters(const char *text, size_t n)
{
	size_t count = 0;
	for (size_t i = 0; i < n; count++)
		i += skip(text + i, n - i, 1);
	return count;
}

bool markup_is_longer(const char *text, size_t n, size_t max)
{
	return skip(text, n, max) < n;
}

void markup_shortened(struct output *o, const char *text, size_t n, size_t max)
{
	if (!markup_is_longer(text, n, max)) {
		markup_write(o, text, n);
		return;
	}
	const size_t end = max / 2, begin = max - 1 - end;
	write_characters(o, text, n, begin);
	output_text(o, "\xe2\x80\xa6");
	const size_t at = skip(text, n, count_characters(text, n) - end);
	markup_write(o, text + at, n - at);
}
