/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of a walk share. */
#include <time.h>

#include "walk_internal.h"

uint64_t walk_clock_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void walk_stop(struct tree_walk *w, enum walk_status status)
{
	pthread_mutex_lock(&w->lock);
	if (w->status == WALK_OK)
		w->status = status;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
}
