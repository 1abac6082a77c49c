/* SPDX-License-Identifier: BSD-2-Clause */
/* The second decoder over a whole plain trace: base, comments, directives and framing. */
#ifndef FUZZ_SECOND_TRACE_H
#define FUZZ_SECOND_TRACE_H

#include "second.h"

enum second_end {
	SECOND_WHOLE,
	SECOND_CUT,  /* %iotrace without %end */
	SECOND_WRONG /* the line number of an error */
};

/* The result of reading up to the end or the first error. */
struct second_trace {
	struct iot_record *rec; /* to be freed */
	size_t count;
	size_t comments; /* as %end counts them */
	uint64_t texts;  /* of these comments: second_add_text() of each, from 0 */
	enum second_end end;
};

/* Returns a hash of the texts so far; it skips texts with times if a tick is not 1 ns. */
uint64_t second_add_text(uint64_t hash, const char *text, size_t size, uint64_t tick_ns);

struct second_trace second_read(const char *text, size_t size, bool verify);

#endif
