/* SPDX-License-Identifier: BSD-2-Clause */
/* The second decoder over a whole plain trace: base, comments, directives and framing. */
#ifndef IOT_FUZZ_SECOND_TRACE_H
#define IOT_FUZZ_SECOND_TRACE_H

#include "second.h"

enum iot_second_end {
	SECOND_WHOLE,
	SECOND_CUT,  /* %iotrace without %end */
	SECOND_WRONG /* a line that is an error, in its place */
};

/* What could be read before the end, whatever that is. */
struct iot_second_trace {
	struct iot_record *rec; /* to be freed */
	size_t count;
	size_t comments; /* as %end counts them */
	enum iot_second_end end;
};

struct iot_second_trace iot_second_read(const char *text, size_t size, bool verify);

#endif
