/* SPDX-License-Identifier: BSD-2-Clause */
/* JSON: brackets, commas and escapes. */
#include <math.h>

#include "lib/base/number.h"

#include "lib/base/utf8.h"
#include "printable.h"
#include "json.h"

/* As one or two units of UTF-16. */
static void put_code_point(struct output *o, uint32_t c)
{
	if (c < 0x10000)
		output_printf(o, "\\u%04x", (unsigned)c);
	else
		output_printf(o, "\\u%04x\\u%04x", (unsigned)(0xd7c0 + (c >> 10)),
			      (unsigned)(0xdc00 | (c & 0x3ff)));
}

/*
 * One character, or one invalid byte; escaped if displays hide it, or if it affects others. Returns
 * the number of bytes of text used.
 */
static size_t put_character(struct output *o, const unsigned char *s, size_t n)
{
	const size_t size = utf8_size(s, n);
	if (s[0] == '"' || s[0] == '\\')
		output_printf(o, "\\%c", s[0]);
	else if (s[0] == '\n' || s[0] == '\t' || s[0] == '\r')
		output_printf(o, "\\%c", s[0] == '\n' ? 'n' : s[0] == '\t' ? 't' : 'r');
	else if (utf8_shown_size((const char *)s, n) > 0)
		output_write(o, s, size);
	else
		put_code_point(o, size > 0 ? utf8_code_point(s, size) : s[0]);
	return size > 1 ? size : 1;
}

static size_t plain_size(const char *text, size_t n)
{
	size_t i = 0;
	while (i < n && text[i] >= 0x20 && text[i] < 0x7f && text[i] != '"' && text[i] != '\\')
		i++;
	return i;
}

void json_string(struct output *o, const char *text, size_t n)
{
	output_write(o, "\"", 1);
	for (size_t i = 0; i < n;) {
		size_t plain = plain_size(text + i, n - i);
		output_write(o, text + i, plain);
		i += plain;
		if (i < n)
			i += put_character(o, (const unsigned char *)text + i, n - i);
	}
	output_write(o, "\"", 1);
}

static void newline(struct json *j)
{
	output_text(j->out, "\n");
	for (unsigned i = 0; i < j->depth; i++)
		output_text(j->out, "  ");
}

static void element(struct json *j, const char *key)
{
	if (j->comma)
		output_write(j->out, ",", 1);
	if (j->pretty && j->depth > 0)
		newline(j);
	j->comma = true;
	if (!key)
		return;
	json_string(j->out, key, strlen(key));
	output_text(j->out, j->pretty ? ": " : ":");
}

void json_open(struct json *j, const char *key, char bracket)
{
	element(j, key);
	output_write(j->out, &bracket, 1);
	j->depth++;
	j->comma = false;
}

void json_close(struct json *j, char bracket)
{
	j->depth--;
	if (j->pretty && j->comma)
		newline(j);
	output_write(j->out, &bracket, 1);
	j->comma = j->depth > 0;
	if (j->depth == 0)
		output_write(j->out, "\n", 1);
}

void json_text(struct json *j, const char *key, const char *text, size_t n)
{
	element(j, key);
	json_string(j->out, text, n);
}

void json_number(struct json *j, const char *key, uint64_t value)
{
	element(j, key);
	char *to = output_reserve(j->out, NUMBER_DIGITS_MAX);
	output_took(j->out, to + number_dec(to, value));
}

void json_null(struct json *j, const char *key)
{
	element(j, key);
	output_text(j->out, "null");
}

void json_signed(struct json *j, const char *key, int64_t value)
{
	element(j, key);
	char *to = output_reserve(j->out, NUMBER_DIGITS_MAX + 1);
	if (value < 0)
		*to++ = '-';
	uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	output_took(j->out, to + number_dec(to, size));
}

void json_exact(struct json *j, const char *key, double value)
{
	char text[REAL_CAPACITY];
	element(j, key);
	output_text(j->out, isfinite(value) ? printable_real(text, value) : "null");
}

void json_bool(struct json *j, const char *key, bool value)
{
	element(j, key);
	output_text(j->out, value ? "true" : "false");
}
