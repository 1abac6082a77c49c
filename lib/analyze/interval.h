/* SPDX-License-Identifier: BSD-2-Clause */
/* The time from the start to the end of a request. */
#ifndef LIB_ANALYZE_INTERVAL_H
#define LIB_ANALYZE_INTERVAL_H

#include "requests.h"

static inline bool interval_is_known(const struct io_request *q)
{
	return (q->flags & (IOT_START_UNKNOWN | IOT_DURATION_UNKNOWN)) == 0;
}

/* Returns INT64_MAX if the end is beyond it. */
static inline int64_t interval_end(int64_t start_ns, uint64_t duration_ns)
{
	int64_t end;
	return __builtin_add_overflow(start_ns, duration_ns, &end) ? INT64_MAX : end;
}

#endif
