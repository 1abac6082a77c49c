/* SPDX-License-Identifier: BSD-2-Clause */
#include "lines.h"

#include <string.h>

/* Peeks more than the bytes that are left. Returns false at the end. */
static bool more(struct line_reader *r)
{
	const size_t rest = (size_t)(r->limit - r->at);
	size_t have;
	if (r->shown != NULL)
		bufreader_consume(r->bufreader, (size_t)(r->at - r->shown));
	r->shown = bufreader_peek(r->bufreader, rest + 1, &have);
	r->at = r->shown;
	r->limit = r->shown == NULL ? NULL : r->shown + have;
	return have > rest;
}

/* Skips the rest of a line. */
static void skip(struct line_reader *r)
{
	const char *lf;
	while ((lf = memchr(r->at, '\n', (size_t)(r->limit - r->at))) == NULL) {
		r->at = r->limit;
		if (!more(r))
			return;
	}
	r->at = lf + 1;
}

static void set(struct iot_text *line, const char *text, size_t size)
{
	*line = (struct iot_text){text, size > 0 && text[size - 1] == '\r' ? size - 1 : size};
}

enum line_kind line_reader_next(struct line_reader *r, struct iot_text *line)
{
	size_t scanned = 0;
	for (;;) {
		const size_t have = (size_t)(r->limit - r->at);
		const char *lf =
		    have > scanned ? memchr(r->at + scanned, '\n', have - scanned) : NULL;
		if (lf != NULL && lf - r->at <= LINE_READER_MAX) {
			set(line, r->at, (size_t)(lf - r->at));
			r->at = lf + 1;
			r->number++;
			return LINE_WHOLE;
		}
		scanned = have;
		if (lf != NULL || have > LINE_READER_MAX)
			break;
		if (more(r))
			continue;
		if (have == 0)
			return LINE_END;
		set(line, r->at, have);
		r->at = r->limit;
		r->number++;
		return LINE_LAST;
	}
	memcpy(r->start, r->at, sizeof r->start);
	set(line, r->start, sizeof r->start);
	skip(r);
	r->number++;
	return LINE_TOO_LONG;
}

int line_reader_status(const struct line_reader *r)
{
	return bufreader_status(r->bufreader);
}

void line_reader_close(struct line_reader *r)
{
	bufreader_free(r->bufreader);
	*r = (struct line_reader){0};
}

bool line_take(struct iot_text *text, struct iot_text *line)
{
	const char *lf = text->size > 0 ? memchr(text->data, '\n', text->size) : NULL;
	if (lf == NULL)
		return false;
	*line = (struct iot_text){text->data, (size_t)(lf - text->data)};
	if (line->size > 0 && line->data[line->size - 1] == '\r')
		line->size--;
	text->size -= (size_t)(lf - text->data) + 1;
	text->data = lf + 1;
	return true;
}
