/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the lines of one member of an input. */
#ifndef CONVERTERS_CALLS_LINES_H
#define CONVERTERS_CALLS_LINES_H

#include "converters/converter.h"

enum {
	LINE_READER_MAX = 1 << 20, /* bytes of a line */
	LINE_READER_SHOWN = 80,    /* of one that is too long */
};

enum line_kind {
	LINE_END,     /* there are no more; line_reader_status() shows whether that is an error */
	LINE_WHOLE,   /* a line, without its LF or CR LF */
	LINE_LAST,    /* the last one, which has no LF: it may be a part of a line */
	LINE_TOO_LONG /* the first bytes of a line that exceeds the limit, and is skipped */
};

/* Start with {0} and set bufreader, which is then owned. */
struct line_reader {
	struct bufreader *bufreader;
	const char *shown, *at, *limit; /* bytes that were peeked, and those not yet returned */
	uint64_t number;                /* of the line returned last, from 1 */
	char start[LINE_READER_SHOWN];  /* of a line that is too long */
};

/* The text is valid until the next call. */
enum line_kind line_reader_next(struct line_reader *r, struct iot_text *line);
int line_reader_status(const struct line_reader *r);
void line_reader_close(struct line_reader *r);

/* Takes a line that is whole, without its LF or CR LF, from a text. Returns false at the end. */
bool line_take(struct iot_text *text, struct iot_text *line);

#endif
