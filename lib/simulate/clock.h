/* SPDX-License-Identifier: BSD-2-Clause */
/* Simulated time: nanoseconds since the start, which saturate at CLOCK_END. */
#ifndef LIB_SIMULATE_CLOCK_H
#define LIB_SIMULATE_CLOCK_H

#include <stdint.h>

#define CLOCK_END    (INT64_MAX / 2) /* 146 years; a simulation that reaches it fails */
#define CLOCK_SECOND UINT64_C(1000000000)

static inline int64_t clock_add(int64_t time_ns, uint64_t duration_ns)
{
	const uint64_t left = (uint64_t)(CLOCK_END - time_ns);
	return duration_ns < left ? time_ns + (int64_t)duration_ns : CLOCK_END;
}

/* Returns the later time. */
static inline int64_t clock_later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Returns the time to transfer bytes at a rate in bytes per second, rounded down; rate 0: none. */
static inline uint64_t clock_transfer(uint64_t bytes, uint64_t rate)
{
	__extension__ typedef unsigned __int128 wide;
	if (rate == 0)
		return 0;
	const wide ns = (wide)bytes * CLOCK_SECOND / rate;
	return ns < (wide)CLOCK_END ? (uint64_t)ns : (uint64_t)CLOCK_END;
}

#endif
