/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of a walk share. */
#include <time.h>

#include "walk_internal.h"

void walk_stop(struct tree_walk *w, enum walk_status status)
{
	pthread_mutex_lock(&w->lock);
	if (w->status == WALK_OK)
		w->status = status;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
}
