/* SPDX-License-Identifier: BSD-2-Clause */
/* Every legal record line taken apart, and what to say about the others. Off the hot path. See line.h. */
#include "record_line.h"
#include "lib/base/number.h"

static const char *const field_name[IOT_FIELDS] = {
    "recordType",     "compression", "offset", "length",    "startTime",
    "completionTime", "operationId", "fileId", "processId", "processTime",
};

static const uint8_t field_dropped_by[IOT_FIELDS] = {
    [IOT_F_OFFSET] = IOT_NO_BLOCK,          [IOT_F_LENGTH] = IOT_NO_LENGTH,
    [IOT_F_OPERATION] = IOT_NO_OPERATIONID, [IOT_F_FILE] = IOT_NO_FILEID,
    [IOT_F_PROCESS] = IOT_NO_PROCESSID,
};

void iot_say_bytes(struct iot_codec *c, const char *text, size_t n)
{
	size_t have = strlen(c->error);
	for (size_t i = 0; i < n && have + 1 < sizeof c->error; i++) {
		unsigned char b = (unsigned char)text[i];
		if (b >= 0x20 && b < 0x7f) {
			c->error[have++] = (char)b;
		} else if (have + 5 < sizeof c->error) {
			c->error[have++] = '\\';
			c->error[have++] = 'x';
			c->error[have++] = "0123456789abcdef"[b >> 4];
			c->error[have++] = "0123456789abcdef"[b & 15];
		}
	}
	c->error[have] = '\0';
}

void iot_say(struct iot_codec *c, const char *text)
{
	iot_say_bytes(c, text, strlen(text));
}

void iot_say_number(struct iot_codec *c, uint64_t v)
{
	char digits[IOT_DIGITS_MAX];
	iot_say_bytes(c, digits, iot_number_dec(digits, v));
}

int iot_say_begin(struct iot_codec *c, size_t column)
{
	c->column = (unsigned)column;
	c->error[0] = '\0';
	return IOT_EFORMAT;
}

struct token {
	const char *text;
	size_t size, column;
};

static int not_a_number(struct iot_codec *c, const struct token *t, const char *name)
{
	enum { SHOWN = 24 };
	iot_say_begin(c, t->column);
	iot_say(c, "found '");
	iot_say_bytes(c, t->text, t->size < SHOWN ? t->size : SHOWN);
	iot_say(c, t->size < SHOWN ? "'" : "...'");
	iot_say(c, " as ");
	iot_say(c, name);
	iot_say(c, c->base == 16 ? ", expected hexadecimal digits" : ", expected decimal digits");
	return IOT_EFORMAT;
}

static int does_not_fit(struct iot_codec *c, const struct token *t, const char *name, unsigned bits)
{
	iot_say_begin(c, t->column);
	iot_say(c, name);
	iot_say(c, " does not fit ");
	iot_say_number(c, bits);
	iot_say(c, " bits");
	return IOT_EFORMAT;
}

static bool digit(char b, unsigned base)
{
	return (b >= '0' && b <= '9') || (base == 16 && (b | 32) >= 'a' && (b | 32) <= 'f');
}

static bool all_digits(const struct token *t, size_t from, unsigned base)
{
	for (size_t i = from; i < t->size; i++)
		if (!digit(t->text[i], base))
			return false;
	return t->size > from;
}

static int field_value(struct iot_codec *c, enum iot_field which, const struct token *t,
		       uint64_t *value, bool *negative)
{
	static const uint8_t bits[IOT_FIELDS] = {8, 8, 64, 64, 63, 64, 32, 32, 32, 63};
	const bool may_be_negative = which == IOT_F_START || which == IOT_F_CPU;
	*negative = t->text[0] == '-';
	if (*negative && !may_be_negative && all_digits(t, 1, c->base)) {
		iot_say_begin(c, t->column);
		iot_say(c, field_name[which]);
		iot_say(c, " is negative; only startTime and processTime may be");
		return IOT_EFORMAT;
	}
	const size_t from = *negative && may_be_negative;
	if (!all_digits(t, from, c->base))
		return not_a_number(c, t, field_name[which]);
	if (!iot_number_parse(t->text + from, t->size - from, c->base, value) ||
	    (bits[which] < 64 && *value >> bits[which] != 0))
		return does_not_fit(c, t, field_name[which], bits[which]);
	return IOT_OK;
}

/* Splits a line; *count may exceed what was stored. */
static int split(struct iot_codec *c, const char *line, size_t size, struct token *token,
		 size_t *count)
{
	*count = 0;
	for (size_t i = 0; i < size;) {
		if (iot_blank(line[i])) {
			i++;
			continue;
		}
		size_t from = i;
		for (; i < size && !iot_blank(line[i]); i++) {
			const unsigned char in = (unsigned char)line[i];
			if (in < 0x20 || in > 0x7e) {
				iot_say_begin(c, i + 1);
				iot_say(c, "found byte ");
				iot_say_bytes(c, line + i, 1);
				iot_say(c, ", expected digits and blanks");
				return IOT_EFORMAT;
			}
		}
		if (*count <= IOT_FIELDS)
			token[*count] = (struct token){line + from, i - from, from + 1};
		++*count;
	}
	return IOT_OK;
}

static int wrong_count(struct iot_codec *c, size_t found, size_t expected, size_t column)
{
	iot_say_begin(c, column);
	iot_say(c, "found ");
	iot_say_number(c, found);
	iot_say(c, found == 1 ? " field, expected " : " fields, expected ");
	iot_say_number(c, expected);
	return IOT_EFORMAT;
}

static void store(struct iot_fields *f, enum iot_field which, uint64_t v, bool negative)
{
	switch (which) {
	case IOT_F_TYPE:
		f->type = (uint8_t)v;
		break;
	case IOT_F_COMPRESSION:
		f->compression = (uint8_t)v;
		break;
	case IOT_F_OFFSET:
		f->offset = v;
		break;
	case IOT_F_LENGTH:
		f->length = v;
		break;
	case IOT_F_START:
		f->start = negative ? -(int64_t)v : (int64_t)v;
		break;
	case IOT_F_COMPLETION:
		f->completion = v;
		break;
	case IOT_F_OPERATION:
		f->operation = (uint32_t)v;
		break;
	case IOT_F_FILE:
		f->file = (uint32_t)v;
		break;
	case IOT_F_PROCESS:
		f->process = (uint32_t)v;
		break;
	case IOT_F_CPU:
		f->cpu = negative ? -(int64_t)v : (int64_t)v;
		break;
	case IOT_FIELDS:
		break;
	}
}

static int head(struct iot_codec *c, const struct token *token, size_t count, size_t size,
		struct iot_fields *f)
{
	if (count < 2)
		return wrong_count(c, count, IOT_FIELDS, size + 1);
	for (enum iot_field i = IOT_F_TYPE; i <= IOT_F_COMPRESSION; i++) {
		uint64_t v;
		bool negative;
		int status = field_value(c, i, &token[i], &v, &negative);
		if (status != IOT_OK)
			return status;
		store(f, i, v, negative);
	}
	if (f->type == 0xff) {
		iot_say_begin(c, token[0].column);
		iot_say(c, "recordType is that of a comment, which begins with ff");
		return IOT_EFORMAT;
	}
	if (f->compression & IOT_COMPRESSION_UNDEFINED) {
		iot_say_begin(c, token[1].column);
		iot_say(c, "compression has the undefined flag 0x10");
		return IOT_EFORMAT;
	}
	return IOT_OK;
}

int iot_line_fields(struct iot_codec *c, const char *line, size_t size, struct iot_fields *f,
		    size_t *column)
{
	struct token token[IOT_FIELDS + 1];
	size_t count, next = IOT_F_COMPRESSION + 1, expected = 0;
	int status = split(c, line, size, token, &count);
	if (status == IOT_OK)
		status = head(c, token, count, size, f);
	if (status != IOT_OK)
		return status;
	for (enum iot_field i = IOT_F_TYPE; i < IOT_FIELDS; i++)
		expected += !(f->compression & field_dropped_by[i]);
	if (count != expected)
		return wrong_count(c, count, expected,
				   count > expected ? token[expected].column : size + 1);
	for (enum iot_field i = IOT_F_OFFSET; i < IOT_FIELDS; i++) {
		column[i] = size + 1;
		if (f->compression & field_dropped_by[i])
			continue;
		uint64_t v;
		bool negative;
		column[i] = token[next].column;
		status = field_value(c, i, &token[next++], &v, &negative);
		if (status != IOT_OK)
			return status;
		store(f, i, v, negative);
	}
	return IOT_OK;
}
