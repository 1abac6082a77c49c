/* SPDX-License-Identifier: BSD-2-Clause */
/* JSON: brackets, commas and escapes. */
#include <math.h>

#include "lib/base/number.h"

#include "printable.h"
#include "json.h"

/* Returns whether s is U+0080 to U+009F, some of which begin control sequences of terminals. */
static bool is_c1(const unsigned char *s, size_t size)
{
	return size == 2 && s[0] == 0xc2 && s[1] < 0xa0;
}

/* One character, or one invalid byte; returns the number of bytes of text used. */
static size_t put_character(struct output *o, const unsigned char *s, size_t n)
{
	size_t size = utf8_size(s, n);
	if (is_c1(s, size))
		output_printf(o, "\\u%04x", s[1]);
	else if (size > 1 ||
		 (size == 1 && s[0] >= 0x20 && s[0] != '"' && s[0] != '\\' && s[0] != 0x7f))
		output_write(o, s, size);
	else if (s[0] == '"' || s[0] == '\\')
		output_printf(o, "\\%c", s[0]);
	else if (s[0] == '\n' || s[0] == '\t' || s[0] == '\r')
		output_printf(o, "\\%c", s[0] == '\n' ? 'n' : s[0] == '\t' ? 't' : 'r');
	else
		output_printf(o, "\\u%04x", s[0]);
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

void json_known(struct json *j, const char *key, bool known, uint64_t value)
{
	if (known)
		json_number(j, key, value);
	else
		json_null(j, key);
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
