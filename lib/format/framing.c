/* SPDX-License-Identifier: BSD-2-Clause */
/* Comment lines, and the three framing directives. */
#include "framing.h"

#include <assert.h>

#include "lib/base/number.h"

enum {
	HASH_DIGITS = 16,
	HEADER_BITS = 8, /* maximum wrong bits in a line that is taken for a damaged %iotrace */
};

/*
 * Returns the base that the first field of a comment line indicates; 0 if it does not mark a
 * comment.
 */
static unsigned marked_base(const char *field, size_t size)
{
	if (size == 2 && (field[0] | 32) == 'f' && (field[1] | 32) == 'f')
		return 16;
	return size == 3 && memcmp(field, "255", 3) == 0 ? 10 : 0;
}

/* Stores the text of a comment; after: the end of its mark. */
static void set_comment(struct text_line *l, const char *p, const char *after, const char *stop)
{
	if (after < stop)
		after++;
	l->kind = TEXT_LINE_COMMENT;
	l->text = (struct iot_text){after, (size_t)(stop - after)};
	l->column = (unsigned)(after - p) + 1;
}

struct text_line text_line_classify(const char *p, const char *end)
{
	const char *lf = memchr(p, '\n', (size_t)(end - p));
	struct text_line l = {.kind = TEXT_LINE_OTHER, .next = lf != NULL ? lf + 1 : end};
	const char *stop = lf != NULL ? lf : end, *field = p;
	while (stop > p && stop[-1] == '\r')
		stop--;
	l.size = (size_t)(stop - p);
	if (l.size >= 3 && memcmp(p, "ff ", 3) == 0) { /* as a writer spells it */
		l.base = 16;
		set_comment(&l, p, p + 2, stop);
		return l;
	}
	field = skip_blanks(field, stop);
	const char *after = field;
	while (after < stop && !is_blank(*after))
		after++;
	if (field == stop)
		l.kind = TEXT_LINE_BLANK;
	l.base = marked_base(field, (size_t)(after - field));
	if (l.base != 0)
		set_comment(&l, p, after, stop);
	return l;
}

const char *blank_lines(const char *p, const char *end, uint64_t *lines)
{
	uint64_t n = 0;
	for (const char *q = p;; q = p) {
		q = skip_blanks(q, end);
		while (q < end && *q == '\r')
			q++;
		if (q == end || *q != '\n')
			break;
		p = q + 1;
		n++;
	}
	*lines += n;
	return p;
}

static struct iot_text value_of(struct iot_text text, const char *key)
{
	const struct iot_event ev = {.text = text};
	return iot_directive_get(&ev, key);
}

static bool number_of(struct iot_text text, const char *key, uint64_t *number)
{
	struct iot_text value = value_of(text, key);
	return number_decimal(value.data, value.size, number);
}

static bool hash_of(struct iot_text text, uint64_t *hash)
{
	struct iot_text value = value_of(text, "xxh3");
	return value.size == HASH_DIGITS && number_parse(value.data, value.size, 16, hash);
}

const char *framing_parse_header(struct iot_text text, struct header_directive *h)
{
	*h = (struct header_directive){0};
	if (!number_of(text, "version", &h->version))
		return "%iotrace needs version=, a number";
	/* the other keys of an unknown version cannot be interpreted */
	if (h->version == 0 || h->version > FRAMING_VERSION)
		return "%iotrace declares an unknown version of the format";
	if (!number_of(text, "tick", &h->tick_ns) || h->tick_ns == 0 || h->tick_ns > INT64_MAX)
		return "%iotrace needs tick=, a number of nanoseconds of 1 to 2^63-1";
	if (value_of(text, "sync").data != NULL && !number_of(text, "sync", &h->sync))
		return "sync= of %iotrace is not a number";
	return NULL;
}

const char *framing_parse_sync(struct iot_text text, struct sync_directive *s)
{
	if (!number_of(text, "time", &s->time))
		return "%sync needs time=, a number";
	if (!number_of(text, "record", &s->record))
		return "%sync needs record=, a number";
	if (!hash_of(text, &s->hash))
		return "%sync needs xxh3=, 16 hexadecimal digits";
	return NULL;
}

const char *framing_parse_end(struct iot_text text, struct end_directive *e)
{
	if (!number_of(text, "records", &e->records))
		return "%end needs records=, a number";
	if (!number_of(text, "comments", &e->comments))
		return "%end needs comments=, a number";
	if (!hash_of(text, &e->hash))
		return "%end needs xxh3=, 16 hexadecimal digits";
	return NULL;
}

bool framing_resembles_header(const char *line, size_t size)
{
	static const char *const headers[] = {"ff %iotrace ", "255 %iotrace "};
	for (size_t i = 0; i < 2; i++) {
		const size_t n = strlen(headers[i]);
		int wrong = 0;
		for (size_t k = 0; k < n && n <= size; k++)
			wrong += __builtin_popcount((unsigned char)line[k] ^
						    (unsigned char)headers[i][k]);
		if (n <= size && wrong <= HEADER_BITS)
			return true;
	}
	return false;
}

static void put_hash(struct iot_builder *b, uint64_t hash)
{
	char digits[HASH_DIGITS];
	for (size_t i = HASH_DIGITS; i-- > 0; hash >>= 4)
		digits[i] = "0123456789abcdef"[hash & 15];
	iot_directive_text(b, "xxh3", digits, sizeof(digits));
}

static size_t built(const struct iot_builder *b)
{
	assert(b->status == IOT_OK);
	return b->size;
}

size_t framing_build_header(char *out, const struct header_directive *h)
{
	struct iot_builder b;
	iot_directive_begin(&b, out, FRAMING_MAX, "iotrace");
	iot_directive_number(&b, "version", h->version);
	iot_directive_number(&b, "tick", h->tick_ns);
	if (h->sync > 0)
		iot_directive_number(&b, "sync", h->sync);
	return built(&b);
}

size_t framing_build_sync(char *out, const struct sync_directive *s)
{
	struct iot_builder b;
	iot_directive_begin(&b, out, FRAMING_MAX, "sync");
	iot_directive_number(&b, "time", s->time);
	iot_directive_number(&b, "record", s->record);
	put_hash(&b, s->hash);
	return built(&b);
}

size_t framing_build_end(char *out, const struct end_directive *e)
{
	struct iot_builder b;
	iot_directive_begin(&b, out, FRAMING_MAX, "end");
	iot_directive_number(&b, "records", e->records);
	iot_directive_number(&b, "comments", e->comments);
	put_hash(&b, e->hash);
	return built(&b);
}
