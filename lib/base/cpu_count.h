/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LIB_BASE_CPU_COUNT_H
#define LIB_BASE_CPU_COUNT_H

#include <sched.h>

/* Returns the number of CPUs available to this process, or 1 if unknown. */
static inline unsigned cpu_count(void)
{
	cpu_set_t set;
	return sched_getaffinity(0, sizeof(set), &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

#endif
