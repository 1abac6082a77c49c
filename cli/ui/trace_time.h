/* SPDX-License-Identifier: BSD-2-Clause */
/* Times on the command line: 90s, 1.5h, 250ms; 50%; 07:40:14; 2026-11-21T10:00:00, @1700000000. */
#ifndef CLI_UI_TRACE_TIME_H
#define CLI_UI_TRACE_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "options.h"

enum trace_time_kind {
	TIME_NOT_GIVEN,
	TIME_SINCE_ZERO, /* nanoseconds of the trace */
	TIME_SHARE,      /* billionths of the time from the first record's start to the last's */
	TIME_WALL,       /* nanoseconds since 1970 */
	TIME_OF_DAY,     /* nanoseconds since midnight */
};

struct trace_time {
	enum trace_time_kind kind;
	uint64_t value;
	/* For a time of day: */
	bool zoned;       /* otherwise local */
	int64_t east_s;   /* of Greenwich, if zoned */
	uint64_t unit_ns; /* of its last field: a minute, a second or less */
};

/* The times that a trace declares. */
struct trace_time_span {
	int64_t first_ns, last_ns; /* starts of its first and last record */
	int64_t after_ns;          /* a time of day is the first one from here */
	bool has_epoch;
	uint64_t epoch_ns;
};

/* Returns NULL, or the expected syntax. A wall-clock time without a zone is local. */
const char *trace_time_parse(const char *text, struct trace_time *time);

/* Parses a duration, which is not 0, into the uint64_t target, in nanoseconds. */
option_fn option_duration;

/*
 * Nanoseconds of the trace; 100 % is immediately after the last record. Returns NULL, or what is
 * missing. A wall-clock time before the trace's zero is its zero. A time of day is the first one at
 * or after span->after_ns, whose own second (or minute, if the text has no seconds) counts.
 */
const char *trace_time_resolve(const struct trace_time *time, const struct trace_time_span *span,
			       int64_t *ns);

#endif
