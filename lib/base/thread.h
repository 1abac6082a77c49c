/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts threads with all signals blocked, so that signals go to the program's own threads. */
#ifndef LIB_BASE_THREAD_H
#define LIB_BASE_THREAD_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

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

#endif
