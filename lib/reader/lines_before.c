/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Only startTime of a line is parsed: with the start of the previous record it determines the start
 * of this one. See lines_before.h.
 */
#include "lines_before.h"

#include "lib/format/framing.h"
#include "lib/codec/record_line.h"
#include "lib/base/number.h"

static const char *after_field(const char *p, const char *lf)
{
	const char *blank = memchr(p, ' ', (size_t)(lf - p));
	return blank != NULL ? blank + 1 : lf;
}

/* Parses startTime of a line as writers produce it; returns false if that is not certain. */
static bool quick_start(const char *p, const char *lf, unsigned base, int64_t *start)
{
	uint64_t compression, value;
	const char *field = after_field(p, lf), *next = after_field(field, lf);
	if (next == lf || next - field < 2 ||
	    !number_parse(field, (size_t)(next - field) - 1, base, &compression) ||
	    compression > 0xff)
		return false;
	for (int i = !(compression & NO_BLOCK) + !(compression & NO_LENGTH); i > 0; i--)
		next = after_field(next, lf);
	field = next;
	next = after_field(field, lf);
	const bool negative = *field == '-';
	field += negative;
	if (next == lf || next - field < 2 ||
	    !number_parse(field, (size_t)(next - field) - 1, base, &value) || value > INT64_MAX)
		return false;
	*start = negative ? -(int64_t)value : (int64_t)value;
	return true;
}

static bool slow_start(struct iot_codec *c, const char *p, size_t size, int64_t *start)
{
	struct record_fields fields = {0};
	size_t column[RECORD_FIELDS];
	if (size > IOT_LINE_MAX || record_line_parse(c, p, size, &fields, column) != IOT_OK)
		return false;
	*start = fields.start;
	return true;
}

/*
 * Returns whether the line is blank or a comment in any spelling. The first byte usually excludes
 * both.
 */
static bool is_other(const char *p, const char *lf)
{
	if (*p != 'f' && *p != 'F' && *p != '2' && *p != '\r' && !is_blank(*p) && p != lf)
		return false;
	return text_line_classify(p, lf + 1).kind != TEXT_LINE_OTHER;
}

struct line_lookahead line_look_ahead(struct iot_codec *c, const char *p, const char *end,
				      uint64_t ticks, size_t max)
{
	struct line_lookahead look = {.records = 0};
	const unsigned base = codec_base(c);
	int64_t start = codec_start(c), delta;
	while (p < end && look.records < max) {
		uint64_t blank = 0;
		p = blank_lines(p, end, &blank);
		if (p == end)
			break;
		const char *lf = memchr(p, '\n', (size_t)(end - p));
		if (!is_other(p, lf)) {
			if (!quick_start(p, lf, base, &delta) &&
			    !slow_start(c, p, text_line_classify(p, lf + 1).size, &delta))
				break;
			if (__builtin_add_overflow(start, delta, &start) || start < 0)
				break;
			if ((uint64_t)start >= ticks) {
				look.found = true;
				break;
			}
			look.records++;
		}
		p = lf + 1;
	}
	look.stop = p;
	return look;
}
