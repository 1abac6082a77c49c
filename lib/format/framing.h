/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lines of a trace that are no records, as reader and writer see them: what stands on a comment
 * line, and %iotrace, %sync and %end parsed and built (iotrace(5), FRAMING).
 */
#ifndef LIB_FORMAT_FRAMING_H
#define LIB_FORMAT_FRAMING_H

#include "directive.h"

enum text_line_kind { TEXT_LINE_BLANK, TEXT_LINE_COMMENT, TEXT_LINE_OTHER };

struct text_line {
	enum text_line_kind kind;
	size_t size;          /* without LF and the CRs before it */
	const char *next;     /* behind its LF, or the end */
	struct iot_text text; /* of a comment: what stands behind the blank after ff */
	unsigned column;      /* of the text, from 1 */
	unsigned base;        /* of a comment: 16 for ff, 10 for 255 */
};

/* The line at p; it ends in LF or at `end`. */
struct text_line text_line_classify(const char *p, const char *end);

/* Behind the blank lines that begin at p and end before `end`; adds their number to *lines. */
const char *blank_lines(const char *p, const char *end, uint64_t *lines);

struct header_directive {
	uint64_t tick_ns, sync;
};

struct sync_directive {
	uint64_t time, record; /* in ticks; an index */
	uint64_t hash;
};

struct end_directive {
	uint64_t records, comments;
	uint64_t hash;
};

/* Blank lines one behind the other mean nothing, and a few bytes unpack to very many. */
enum { BLANK_RUN_MAX = 1 << 26 };
/* What a file is called that holds no line of a trace. */
#define EMPTY_FILE        "empty file, not a trace"
#define BLANK_FILE        "only blank lines, not a trace"
#define BLANK_RUN_MESSAGE "more than 64 MiB of blank lines one behind the other"

struct blank_run {
	uint64_t line, bytes; /* of the last one; of all */
};

/* Takes the blank line of that number; false: they are too many. */
static inline bool blank_run_add(struct blank_run *run, uint64_t line, size_t size)
{
	if (line != run->line + 1)
		run->bytes = 0;
	run->line = line;
	run->bytes += size;
	return run->bytes <= BLANK_RUN_MAX;
}

/* Takes the blank lines at p that follow the one taken last, as far as the limit allows. Returns where they end. */
static inline const char *blank_run_more(struct blank_run *run, const char *p, const char *end)
{
	const uint64_t left = BLANK_RUN_MAX - run->bytes;
	if ((uint64_t)(end - p) > left)
		end = p + left;
	const char *after = blank_lines(p, end, &run->line);
	run->bytes += (uint64_t)(after - p);
	return after;
}

enum { FRAMING_MAX = 128 }; /* room that a line built needs */

/* NULL, or what is wrong (a static sentence); `version` as found. */
const char *framing_parse_header(struct iot_text text, struct header_directive *h,
				 uint64_t *version);
const char *framing_parse_sync(struct iot_text text, struct sync_directive *s);
const char *framing_parse_end(struct iot_text text, struct end_directive *e);

/* The text of such a comment; returns its size. */
size_t framing_build_header(char *out, const struct header_directive *h);
size_t framing_build_sync(char *out, const struct sync_directive *s);
size_t framing_build_end(char *out, const struct end_directive *e);

#endif
