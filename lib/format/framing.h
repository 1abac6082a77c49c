/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines that are not records, for reader and writer: classification of comment lines, and parsing
 * and building of %iotrace, %sync and %end (iotrace(5), FRAMING).
 */
#ifndef LIB_FORMAT_FRAMING_H
#define LIB_FORMAT_FRAMING_H

#include "directive.h"

enum text_line_kind { TEXT_LINE_BLANK, TEXT_LINE_COMMENT, TEXT_LINE_OTHER };

struct text_line {
	enum text_line_kind kind;
	size_t size;          /* without LF and the CRs before it */
	const char *next;     /* after its LF, or the end */
	struct iot_text text; /* of a comment: the text after the blank that follows ff */
	unsigned column;      /* of the text, from 1 */
	unsigned base;        /* of a comment: 16 for ff, 10 for 255 */
};

/* Classifies the line at p, which ends in LF or at `end`. */
struct text_line text_line_classify(const char *p, const char *end);

/*
 * Returns the end of the blank lines that begin at p and end before `end`; adds their number to
 * *lines.
 */
const char *blank_lines(const char *p, const char *end, uint64_t *lines);

enum { FRAMING_VERSION = 2 }; /* newest version of the format */

struct header_directive {
	uint64_t version, tick_ns, sync;
};

struct sync_directive {
	uint64_t time, record; /* in ticks; an index */
	uint64_t hash;
};

struct end_directive {
	uint64_t records, comments;
	uint64_t hash;
};

/*
 * Consecutive blank lines have no meaning, and a few compressed bytes can expand to very many; so
 * they are limited.
 */
enum { BLANK_RUN_MAX = 1 << 26 };
/* Messages for files that contain no line of a trace. */
#define EMPTY_FILE        "empty file, not a trace"
#define BLANK_FILE        "only blank lines, not a trace"
#define BLANK_RUN_MESSAGE "more than 64 MiB of consecutive blank lines"

struct blank_run {
	uint64_t line, bytes; /* number of the last one; bytes of all */
};

/* Adds the blank line of that number; returns false if the run exceeds the limit. */
static inline bool blank_run_add(struct blank_run *run, uint64_t line, size_t size)
{
	if (line != run->line + 1)
		run->bytes = 0;
	run->line = line;
	run->bytes += size;
	return run->bytes <= BLANK_RUN_MAX;
}

/* Adds the blank lines at p that follow the last one added, within the limit. Returns their end. */
static inline const char *blank_run_more(struct blank_run *run, const char *p, const char *end)
{
	const uint64_t left = BLANK_RUN_MAX - run->bytes;
	if ((uint64_t)(end - p) > left)
		end = p + left;
	const char *after = blank_lines(p, end, &run->line);
	run->bytes += (uint64_t)(after - p);
	return after;
}

enum { FRAMING_MAX = 128 }; /* capacity that a built line needs */

/* Return NULL, or the error as a static sentence; the version found is set even then. */
const char *framing_parse_header(struct iot_text text, struct header_directive *h);
const char *framing_parse_sync(struct iot_text text, struct sync_directive *s);
const char *framing_parse_end(struct iot_text text, struct end_directive *e);

/*
 * Returns whether a line begins like %iotrace except for a few wrong bits. As the first line of a
 * trace it is a damaged %iotrace: otherwise the trace would look like an unframed one with another
 * tick.
 */
bool framing_resembles_header(const char *line, size_t size);
#define FRAMING_DAMAGED_HEADER "the first line seems to be a damaged %iotrace"

/* Build the text of such a comment; return its size. */
size_t framing_build_header(char *out, const struct header_directive *h);
size_t framing_build_sync(char *out, const struct sync_directive *s);
size_t framing_build_end(char *out, const struct end_directive *e);

#endif
