/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LIB_BASE_THREAD_H
#define LIB_BASE_THREAD_H

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>

/* Starts a thread with all signals blocked: signals go to the program's own threads. */
static inline bool thread_start(pthread_t *thread, void *(*work)(void *), void *context)
{
	sigset_t all, before;
	sigfillset(&all);
	if (pthread_sigmask(SIG_BLOCK, &all, &before) != 0)
		return false;
	const int rc = pthread_create(thread, NULL, work, context);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return rc == 0;
}

/* Returns the number of CPUs available to this process, or 1 if unknown. */
static inline unsigned cpu_count(void)
{
	cpu_set_t set;
	return sched_getaffinity(0, sizeof(set), &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

#endif
