/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LIB_ANALYZE_CONTAINERS_INTERVAL_H
#define LIB_ANALYZE_CONTAINERS_INTERVAL_H

#include <stdint.h>

/* The end of a request or operation; INT64_MAX if it is beyond. */
static inline int64_t interval_end(int64_t start_ns, uint64_t duration_ns)
{
	int64_t end;
	return __builtin_add_overflow(start_ns, duration_ns, &end) ? INT64_MAX : end;
}

#endif
