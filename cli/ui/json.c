/* SPDX-License-Identifier: BSD-2-Clause */
/* JSON: brackets, commas and escapes. */
#include "lib/base/number.h"

#include "output.h"
#include "printable.h"

/* One character, or one byte that belongs to none; returns the bytes of text used. */
static size_t put_character(struct iot_out *o, const unsigned char *s, size_t n)
{
	size_t size = iot_utf8_size(s, n);
	if (size > 1 || (size == 1 && s[0] >= 0x20 && s[0] != '"' && s[0] != '\\' && s[0] != 0x7f))
		iot_out_write(o, s, size);
	else if (s[0] == '"' || s[0] == '\\')
		iot_out_printf(o, "\\%c", s[0]);
	else if (s[0] == '\n' || s[0] == '\t' || s[0] == '\r')
		iot_out_printf(o, "\\%c", s[0] == '\n' ? 'n' : s[0] == '\t' ? 't' : 'r');
	else
		iot_out_printf(o, "\\u%04x", s[0]);
	return size > 1 ? size : 1;
}

static size_t plain_size(const char *text, size_t n)
{
	size_t i = 0;
	while (i < n && text[i] >= 0x20 && text[i] < 0x7f && text[i] != '"' && text[i] != '\\')
		i++;
	return i;
}

void iot_json_string(struct iot_out *o, const char *text, size_t n)
{
	iot_out_write(o, "\"", 1);
	for (size_t i = 0; i < n;) {
		size_t plain = plain_size(text + i, n - i);
		iot_out_write(o, text + i, plain);
		i += plain;
		if (i < n)
			i += put_character(o, (const unsigned char *)text + i, n - i);
	}
	iot_out_write(o, "\"", 1);
}

static void newline(struct iot_json *j)
{
	iot_out_text(j->out, "\n");
	for (unsigned i = 0; i < j->depth; i++)
		iot_out_text(j->out, "  ");
}

static void element(struct iot_json *j, const char *key)
{
	if (j->comma)
		iot_out_write(j->out, ",", 1);
	if (j->pretty && j->depth > 0)
		newline(j);
	j->comma = true;
	if (!key)
		return;
	iot_json_string(j->out, key, strlen(key));
	iot_out_text(j->out, j->pretty ? ": " : ":");
}

void iot_json_open(struct iot_json *j, const char *key, char bracket)
{
	element(j, key);
	iot_out_write(j->out, &bracket, 1);
	j->depth++;
	j->comma = false;
}

void iot_json_close(struct iot_json *j, char bracket)
{
	j->depth--;
	if (j->pretty && j->comma)
		newline(j);
	iot_out_write(j->out, &bracket, 1);
	j->comma = j->depth > 0;
	if (j->depth == 0)
		iot_out_write(j->out, "\n", 1);
}

void iot_json_text(struct iot_json *j, const char *key, const char *text, size_t n)
{
	element(j, key);
	iot_json_string(j->out, text, n);
}

void iot_json_number(struct iot_json *j, const char *key, uint64_t value)
{
	element(j, key);
	char *to = iot_out_room(j->out, IOT_DIGITS_MAX);
	iot_out_took(j->out, to + iot_number_dec(to, value));
}

void iot_json_null(struct iot_json *j, const char *key)
{
	element(j, key);
	iot_out_text(j->out, "null");
}

void iot_json_known(struct iot_json *j, const char *key, bool known, uint64_t value)
{
	if (known)
		iot_json_number(j, key, value);
	else
		iot_json_null(j, key);
}

void iot_json_signed(struct iot_json *j, const char *key, int64_t value)
{
	element(j, key);
	char *to = iot_out_room(j->out, IOT_DIGITS_MAX + 1);
	if (value < 0)
		*to++ = '-';
	uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	iot_out_took(j->out, to + iot_number_dec(to, size));
}

void iot_json_real(struct iot_json *j, const char *key, double value)
{
	element(j, key);
	iot_out_printf(j->out, "%.6f", value);
}

void iot_json_bool(struct iot_json *j, const char *key, bool value)
{
	element(j, key);
	iot_out_text(j->out, value ? "true" : "false");
}
