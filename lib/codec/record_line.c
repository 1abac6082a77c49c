/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parses every legal record line and explains errors in the others. Not on the hot path. See
 * record_line.h.
 */
#include "record_line.h"
#include "lib/base/number.h"

static const char *const field_name[RECORD_FIELDS] = {
    "recordType",     "compression", "offset", "length",    "startTime",
    "completionTime", "operationId", "fileId", "processId", "processTime",
};

static const uint8_t field_dropped_by[RECORD_FIELDS] = {
    [FIELD_OFFSET] = NO_BLOCK, [FIELD_LENGTH] = NO_LENGTH,     [FIELD_OPERATION] = NO_OPERATIONID,
    [FIELD_FILE] = NO_FILEID,  [FIELD_PROCESS] = NO_PROCESSID,
};

void codec_error_bytes(struct iot_codec *c, const char *text, size_t n)
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

void codec_error_text(struct iot_codec *c, const char *text)
{
	codec_error_bytes(c, text, strlen(text));
}

void codec_error_number(struct iot_codec *c, uint64_t v)
{
	char digits[NUMBER_DIGITS_MAX];
	codec_error_bytes(c, digits, number_dec(digits, v));
}

int codec_error_begin(struct iot_codec *c, size_t column)
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
	codec_error_begin(c, t->column);
	codec_error_text(c, "found '");
	codec_error_bytes(c, t->text, t->size < SHOWN ? t->size : SHOWN);
	codec_error_text(c, t->size < SHOWN ? "'" : "...'");
	codec_error_text(c, " as ");
	codec_error_text(c, name);
	codec_error_text(c, c->base == 16 ? ", expected hexadecimal digits"
					  : ", expected decimal digits");
	return IOT_EFORMAT;
}

static int does_not_fit(struct iot_codec *c, const struct token *t, const char *name, unsigned bits)
{
	codec_error_begin(c, t->column);
	codec_error_text(c, name);
	codec_error_text(c, " does not fit ");
	codec_error_number(c, bits);
	codec_error_text(c, " bits");
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

static int field_value(struct iot_codec *c, enum field which, const struct token *t,
		       uint64_t *value, bool *negative)
{
	static const uint8_t bits[RECORD_FIELDS] = {8, 8, 64, 64, 63, 64, 32, 32, 32, 63};
	const bool may_be_negative = which == FIELD_START || which == FIELD_CPU;
	*negative = t->text[0] == '-';
	if (*negative && !may_be_negative && all_digits(t, 1, c->base)) {
		codec_error_begin(c, t->column);
		codec_error_text(c, field_name[which]);
		codec_error_text(c, " is negative; only startTime and processTime may be");
		return IOT_EFORMAT;
	}
	const size_t from = *negative && may_be_negative;
	if (!all_digits(t, from, c->base))
		return not_a_number(c, t, field_name[which]);
	if (!number_parse(t->text + from, t->size - from, c->base, value) ||
	    (bits[which] < 64 && *value >> bits[which] != 0))
		return does_not_fit(c, t, field_name[which], bits[which]);
	return IOT_OK;
}

/* Splits a line into fields; *count may exceed the number stored. */
static int split(struct iot_codec *c, const char *line, size_t size, struct token *token,
		 size_t *count)
{
	*count = 0;
	for (size_t i = 0; i < size;) {
		if (is_blank(line[i])) {
			i++;
			continue;
		}
		size_t from = i;
		for (; i < size && !is_blank(line[i]); i++) {
			const unsigned char in = (unsigned char)line[i];
			if (in < 0x20 || in > 0x7e) {
				codec_error_begin(c, i + 1);
				codec_error_text(c, "found byte ");
				codec_error_bytes(c, line + i, 1);
				codec_error_text(c, ", expected digits and blanks");
				return IOT_EFORMAT;
			}
		}
		if (*count <= RECORD_FIELDS)
			token[*count] = (struct token){line + from, i - from, from + 1};
		++*count;
	}
	return IOT_OK;
}

static int wrong_count(struct iot_codec *c, size_t found, size_t expected, size_t column)
{
	codec_error_begin(c, column);
	codec_error_text(c, "found ");
	codec_error_number(c, found);
	codec_error_text(c, found == 1 ? " field, expected " : " fields, expected ");
	codec_error_number(c, expected);
	return IOT_EFORMAT;
}

static void store(struct record_fields *f, enum field which, uint64_t v, bool negative)
{
	switch (which) {
	case FIELD_TYPE:
		f->type = (uint8_t)v;
		break;
	case FIELD_COMPRESSION:
		f->compression = (uint8_t)v;
		break;
	case FIELD_OFFSET:
		f->offset = v;
		break;
	case FIELD_LENGTH:
		f->length = v;
		break;
	case FIELD_START:
		f->start = negative ? -(int64_t)v : (int64_t)v;
		break;
	case FIELD_COMPLETION:
		f->completion = v;
		break;
	case FIELD_OPERATION:
		f->operation = (uint32_t)v;
		break;
	case FIELD_FILE:
		f->file = (uint32_t)v;
		break;
	case FIELD_PROCESS:
		f->process = (uint32_t)v;
		break;
	case FIELD_CPU:
		f->cpu = negative ? -(int64_t)v : (int64_t)v;
		break;
	case RECORD_FIELDS:
		break;
	}
}

static int head(struct iot_codec *c, const struct token *token, size_t count, size_t size,
		struct record_fields *f)
{
	if (count < 2)
		return wrong_count(c, count, RECORD_FIELDS, size + 1);
	for (enum field i = FIELD_TYPE; i <= FIELD_COMPRESSION; i++) {
		uint64_t v;
		bool negative;
		int status = field_value(c, i, &token[i], &v, &negative);
		if (status != IOT_OK)
			return status;
		store(f, i, v, negative);
	}
	if (f->type == 0xff) {
		codec_error_begin(c, token[0].column);
		codec_error_text(c, "the recordType marks a comment, which begins with ff");
		return IOT_EFORMAT;
	}
	if (f->compression & COMPRESSION_UNDEFINED) {
		codec_error_begin(c, token[1].column);
		codec_error_text(c, "compression has the undefined flag 0x10");
		return IOT_EFORMAT;
	}
	return IOT_OK;
}

int record_line_parse(struct iot_codec *c, const char *line, size_t size, struct record_fields *f,
		      size_t *column)
{
	struct token token[RECORD_FIELDS + 1];
	size_t count, next = FIELD_COMPRESSION + 1, expected = 0;
	int status = split(c, line, size, token, &count);
	if (status == IOT_OK)
		status = head(c, token, count, size, f);
	if (status != IOT_OK)
		return status;
	for (enum field i = FIELD_TYPE; i < RECORD_FIELDS; i++)
		expected += !(f->compression & field_dropped_by[i]);
	if (count != expected)
		return wrong_count(c, count, expected,
				   count > expected ? token[expected].column : size + 1);
	for (enum field i = FIELD_OFFSET; i < RECORD_FIELDS; i++) {
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
