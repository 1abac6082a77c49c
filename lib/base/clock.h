/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LIB_BASE_CLOCK_H
#define LIB_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Returns a clock that every Linux has, in nanoseconds. */
static inline uint64_t clock_read_ns(clockid_t clock)
{
	struct timespec t = {0, 0};
	(void)clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static inline uint64_t clock_monotonic_ns(void)
{
	return clock_read_ns(CLOCK_MONOTONIC);
}

#endif
