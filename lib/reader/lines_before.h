/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts the records in a range of lines that start before a time, without decoding them. */
#ifndef LIB_READER_LINES_BEFORE_H
#define LIB_READER_LINES_BEFORE_H

#include "lib/codec/codec.h"

struct line_lookahead {
	size_t records;   /* number of records that start before the time */
	bool found;       /* the next record starts at or after the time */
	const char *stop; /* if not found: the lines before this position were examined */
};

/*
 * Examines the lines of [p, end), which ends in LF, relative to the start of the previous record in
 * c; at most `max` records. Stops at an invalid line.
 */
struct line_lookahead line_look_ahead(struct iot_codec *c, const char *p, const char *end,
				      uint64_t ticks, size_t max);

#endif
