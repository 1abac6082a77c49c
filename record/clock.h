/* SPDX-License-Identifier: BSD-2-Clause */
/* The clocks of a recording. */
#ifndef RECORD_CLOCK_H
#define RECORD_CLOCK_H

#include <time.h>

#include "recording.h"

static inline uint64_t clock_ns(clockid_t id)
{
	struct timespec t;
	clock_gettime(id, &t); /* the vDSO, for CLOCK_MONOTONIC */
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Returns the time in units of the recording's clock. */
static inline uint64_t clock_now(void)
{
	if (recording.counts_ticks)
		return __builtin_ia32_rdtsc();
	return clock_ns(CLOCK_MONOTONIC);
}

#endif
