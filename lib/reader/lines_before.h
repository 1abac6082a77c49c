/* SPDX-License-Identifier: BSD-2-Clause */
/* How many records of a stretch of lines come before a time, without decoding them. */
#ifndef LIB_READER_LINES_BEFORE_H
#define LIB_READER_LINES_BEFORE_H

#include "lib/codec/codec.h"

struct line_lookahead {
	size_t records;   /* that start before the time */
	bool found;       /* the next record behind them does not */
	const char *stop; /* not found: what lies before this was looked at */
};

/*
 * Looks at the lines of [p, end), which ends in LF, from the start of the previous record in c on; at most `max`
 * records. A line that is not valid stops it.
 */
struct line_lookahead line_look_ahead(struct iot_codec *c, const char *p, const char *end,
				      uint64_t ticks, size_t max);

#endif
