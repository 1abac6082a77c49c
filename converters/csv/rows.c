/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the rows of all members. A quoted field may contain ends of lines; if its closing quote is
 * not found within CSV_ROW_MAX bytes, each line up to there is a row, so that no byte is scanned
 * for more than one row. A last line without end may be the beginning of a longer one, so it is not
 * a row.
 */
#include "csv.h"

#include <stdlib.h>

static const char BOM[] = "\xef\xbb\xbf";

/* Opens the next member. */
static enum csv_found next_member(struct csv_source *c)
{
	struct csv_rows *r = &c->rows;
	bufreader_free(r->in);
	*r = (struct csv_rows){.member = r->in != NULL ? r->member + 1 : r->member};
	if (r->member == input_count(c->src->input))
		return CSV_AT_END;
	r->in = input_open(c->src->input, r->member, &c->src->error);
	return r->in != NULL ? CSV_ROW : CSV_FAILED;
}

/* Provides more bytes after r->at. Returns false if there are none. */
static bool refill(struct csv_rows *r)
{
	const size_t left = (size_t)(r->end - r->at);
	size_t have;
	if (r->at != r->peeked)
		bufreader_consume(r->in, (size_t)(r->at - r->peeked));
	r->peeked = r->at = bufreader_peek(r->in, left + 1, &have);
	r->end = r->at + have;
	return have > left;
}

/* Finds the end of the line that begins at r->at, from its byte `from` on; NULL if it is cut. */
static const char *find_end(struct csv_rows *r, size_t from)
{
	for (;;) {
		const size_t have = (size_t)(r->end - r->at);
		const char *end = have > from ? memchr(r->at + from, '\n', have - from) : NULL;
		if (end != NULL || have > CSV_ROW_MAX)
			return end;
		from = have > from ? have : from;
		if (!refill(r))
			return NULL;
	}
}

/* A scan of the quotes of a row, which may go on when more lines of it are known. */
struct quotes {
	size_t at;
	bool open;   /* in a quoted field */
	bool closed; /* in the rest of a field after its closing quote */
};

/* Returns true if a quoted field is not closed. */
static bool scan_quotes(struct quotes *q, const char *row, size_t size, char delimiter)
{
	while (q->at < size) {
		if (!q->open && !q->closed && row[q->at] == '"') {
			q->open = true;
			q->at++;
			continue;
		}
		const char *next = memchr(row + q->at, q->open ? '"' : delimiter, size - q->at);
		if (next == NULL) {
			q->at = size;
			break;
		}
		q->at = (size_t)(next - row) + 1;
		q->closed = q->open && (q->at == size || row[q->at] != '"');
		q->at += q->open && !q->closed;
		q->open = q->open && !q->closed;
	}
	return q->open;
}

/* Returns the end of a row of several lines, of which the first ends at `end`. */
static const char *join_lines(struct csv_source *c, const char *end)
{
	struct csv_rows *r = &c->rows;
	struct quotes q = {0};
	const size_t first = (size_t)(end - r->at);
	uint64_t more = 0;
	while (scan_quotes(&q, r->at, (size_t)(end - r->at), c->layout.delimiter)) {
		end = find_end(r, (size_t)(end - r->at) + 1);
		if (end == NULL || end - r->at > CSV_ROW_MAX) {
			const size_t seen = (size_t)(r->end - r->at);
			r->unjoined = seen < CSV_ROW_MAX ? seen : CSV_ROW_MAX;
			return r->at + first;
		}
		more++;
	}
	c->src->report.lines += more;
	if (more > 0)
		report_add(&c->src->report, "joined.lines", more);
	return end;
}

/* Skips a line that is longer than a row can be. */
static enum csv_found skip_line(struct csv_rows *r)
{
	const char *end;
	size_t skipped = 0;
	do {
		skipped += (size_t)(r->end - r->at);
		r->at = r->end;
		end = refill(r) ? memchr(r->at, '\n', (size_t)(r->end - r->at)) : NULL;
	} while (end == NULL && r->end > r->at);
	r->cut = end != NULL ? 0 : skipped;
	if (end == NULL)
		return CSV_AT_END;
	r->at = end + 1;
	return CSV_LONG;
}

static enum csv_found end_of_member(struct csv_source *c)
{
	struct csv_rows *r = &c->rows;
	const struct error *e = bufreader_error(r->in);
	r->cut = (size_t)(r->end - r->at);
	r->at = r->end;
	if (e->status != IOT_OK) {
		error_set(&c->src->error, e->status, "%s", e->text);
		return CSV_FAILED;
	}
	return CSV_AT_END;
}

int csv_rows_open(struct csv_source *c)
{
	return next_member(c) == CSV_FAILED ? c->src->error.status : IOT_OK;
}

static void skip_bom(struct csv_rows *r)
{
	const size_t size = sizeof BOM - 1;
	while ((size_t)(r->end - r->at) < size && refill(r))
		;
	if ((size_t)(r->end - r->at) >= size && memcmp(r->at, BOM, size) == 0)
		r->at += size;
}

static enum csv_found next_line(struct csv_source *c, struct iot_text *line)
{
	struct csv_rows *r = &c->rows;
	const char *end = find_end(r, 0);
	if (end == NULL)
		return r->end - r->at > CSV_ROW_MAX ? skip_line(r) : end_of_member(c);
	if (r->unjoined == 0 && c->layout.delimiter != '\t' &&
	    memchr(r->at, '"', (size_t)(end - r->at)) != NULL)
		end = join_lines(c, end);
	*line = (struct iot_text){r->at, (size_t)(end - r->at)};
	r->unjoined -= r->unjoined > line->size ? line->size + 1 : r->unjoined;
	r->at = end + 1;
	while (line->size > 0 && line->data[line->size - 1] == '\r')
		line->size--;
	return line->size > CSV_ROW_MAX ? CSV_LONG : CSV_ROW;
}

enum csv_found csv_rows_next(struct csv_source *c, struct iot_text *line)
{
	enum csv_found found;
	while (c->rows.in != NULL) {
		if (!c->rows.begun)
			skip_bom(&c->rows);
		c->rows.begun = true;
		found = next_line(c, line);
		if (found == CSV_ROW || found == CSV_LONG)
			c->src->report.lines++;
		if (found != CSV_AT_END || c->rows.cut > 0)
			return found;
		found = next_member(c);
		if (found != CSV_ROW)
			return found;
	}
	return CSV_AT_END;
}
