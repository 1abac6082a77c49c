/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lines of a trace that are no records, as reader and writer see them: what stands on a comment
 * line, and %iotrace, %sync and %end parsed and built (iotrace(5), FRAMING).
 */
#ifndef LIB_FORMAT_FRAMING_H
#define LIB_FORMAT_FRAMING_H

#include "directive.h"

enum iot_line_kind { IOT_LINE_BLANK, IOT_LINE_COMMENT, IOT_LINE_OTHER };

struct iot_line {
	enum iot_line_kind kind;
	size_t size;          /* without LF and the CRs before it */
	const char *next;     /* behind its LF, or the end */
	struct iot_text text; /* of a comment: what stands behind the blank after ff */
	unsigned column;      /* of the text, from 1 */
	unsigned base;        /* of a comment: 16 for ff, 10 for 255 */
};

/* The line at p; it ends in LF or at `end`. */
struct iot_line iot_line_look(const char *p, const char *end);

/* Behind the blank lines that begin at p and end before `end`; adds their number to *lines. */
const char *iot_blank_lines(const char *p, const char *end, uint64_t *lines);

struct iot_header {
	uint64_t tick_ns, sync;
};

struct iot_sync {
	uint64_t time, record; /* in ticks; an index */
	uint64_t hash;
};

struct iot_end {
	uint64_t records, comments;
	uint64_t hash;
};

/* Blank lines one behind the other mean nothing, and a few bytes unpack to very many. */
enum { IOT_BLANK_MAX = 1 << 26 };
/* What a file is called that holds no line of a trace. */
#define IOT_EMPTY_FILE "empty file, not a trace"
#define IOT_BLANK_FILE "only blank lines, not a trace"
#define IOT_BLANK_TOO_MUCH "more than 64 MiB of blank lines one behind the other"

struct iot_blank_run {
	uint64_t line, bytes; /* of the last one; of all */
};

/* Takes the blank line of that number; false: they are too many. */
static inline bool iot_blank_run_take(struct iot_blank_run *run, uint64_t line, size_t size)
{
	if (line != run->line + 1)
		run->bytes = 0;
	run->line = line;
	run->bytes += size;
	return run->bytes <= IOT_BLANK_MAX;
}

/* Takes the blank lines at p that follow the one taken last, as far as the limit allows. Returns where they end. */
static inline const char *iot_blank_run_more(struct iot_blank_run *run, const char *p,
					     const char *end)
{
	const uint64_t left = IOT_BLANK_MAX - run->bytes;
	if ((uint64_t)(end - p) > left)
		end = p + left;
	const char *behind = iot_blank_lines(p, end, &run->line);
	run->bytes += (uint64_t)(behind - p);
	return behind;
}

enum { IOT_FRAMING_MAX = 128 }; /* room that a line built needs */

/* NULL, or what is wrong (a static sentence); `version` as found. */
const char *iot_header_parse(struct iot_text text, struct iot_header *h, uint64_t *version);
const char *iot_sync_parse(struct iot_text text, struct iot_sync *s);
const char *iot_end_parse(struct iot_text text, struct iot_end *e);

/* The text of such a comment; returns its size. */
size_t iot_header_build(char *out, const struct iot_header *h);
size_t iot_sync_build(char *out, const struct iot_sync *s);
size_t iot_end_build(char *out, const struct iot_end *e);

#endif
