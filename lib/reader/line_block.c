/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Splits the input into blocks of whole lines, and hashes them.
 *
 * A block is the available input up to its last LF; the texts of events point into it. If the last
 * line lacks its LF, it is copied and one is added. But in a trace that begins with %iotrace, such
 * a line other than %end is the rest of a longer one, and must not be decoded as a record.
 */
#include <stdlib.h>
#include <string.h>

#include "lookahead.h"
#include "reader_internal.h"

enum { LINE_SIZE_MAX = IOT_COMMENT_MAX + 64 }; /* maximum size of a line without LF to wait for */

void reader_hash_up_to(struct iot_reader *r, const char *p)
{
	const bool wanted =
	    r->verify && !reader_looks_ahead(r) && !r->skipping && (r->framed || !r->begun);
	if (wanted && p > r->hashed)
		XXH3_64bits_update(r->hash, r->hashed, (size_t)(p - r->hashed));
	r->hashed = p;
}

static void start_block(struct iot_reader *r, const char *p, size_t size, size_t shown)
{
	r->block = r->cur = r->hashed = p;
	r->end = size > 0 ? p + size : p; /* p may be NULL */
	r->shown = shown;
}

static void finish_block(struct iot_reader *r)
{
	if (r->block == NULL)
		return;
	reader_hash_up_to(r, r->end);
	r->text_bytes += r->shown;
	reader_consume(r, r->shown);
	start_block(r, NULL, 0, 0);
}

/* Returns whether the line may be a truncated header. */
static bool begins_header(const struct text_line *l)
{
	static const char header[] = "%iotrace";
	const size_t n = l->text.size;
	if (l->kind != TEXT_LINE_COMMENT || n == 0)
		return false;
	return n < sizeof(header) - 1 ? memcmp(l->text.data, header, n) == 0
				      : directive_framing(l->text) == FRAMING_HEADER;
}

static bool is_whole_end(const struct text_line *l)
{
	struct end_directive e;
	return l->kind == TEXT_LINE_COMMENT && directive_framing(l->text) == FRAMING_END &&
	       framing_parse_end(l->text, &e) == NULL;
}

/* Returns whether a line without LF is truncated. */
static bool is_cut(const struct iot_reader *r, const struct text_line *l)
{
	if (r->ended || l->kind == TEXT_LINE_BLANK)
		return false;
	if (!r->begun && begins_header(l))
		return true;
	return r->framed && !is_whole_end(l);
}

/* Handles p[0 .. size), the rest of the input, which has no LF. */
static int last_line(struct iot_reader *r, const char *p, size_t size)
{
	if (size == 0 || r->in_long || bufreader_status(r->bufreader) != IOT_OK)
		return 0;
	const struct text_line l = text_line_classify(p, p + size);
	if (is_cut(r, &l)) {
		r->cut = true;
		return 0;
	}
	r->tail = malloc(size + 1);
	if (r->tail == NULL)
		return error_set(&r->error, IOT_ENOMEM, "%s: out of memory", r->name);
	memcpy(r->tail, p, size);
	r->tail[size] = '\n';
	start_block(r, r->tail, size + 1, size);
	return 1;
}

static int too_long(struct iot_reader *r, size_t have)
{
	if (!r->in_long && !reader_broken(r, IOT_COMMENT_MAX + 1, "a line longer than 65536 bytes"))
		return r->error.status;
	r->in_long = true;
	r->text_bytes += have;
	reader_consume(r, have);
	return IOT_OK;
}

int reader_next_block(struct iot_reader *r)
{
	size_t want = 1, seen = 0, have;
	finish_block(r);
	for (;;) {
		const char *p = reader_look(r, want, &have);
		if (r->error.status != IOT_OK)
			return r->error.status;
		const char *lf = have > seen ? memrchr(p + seen, '\n', have - seen) : NULL;
		if (lf != NULL) {
			start_block(r, p, (size_t)(lf + 1 - p), (size_t)(lf + 1 - p));
			break;
		}
		if (have < want)
			return last_line(r, p, have);
		seen = have;
		if (have > LINE_SIZE_MAX || r->in_long) {
			int status = too_long(r, have);
			if (status != IOT_OK)
				return status;
			seen = 0;
		}
		want = seen + 1;
	}
	if (r->in_long) {
		r->cur = (const char *)memchr(r->cur, '\n', (size_t)(r->end - r->cur)) + 1;
		r->in_long = false;
		r->lines++;
	}
	return 1;
}
