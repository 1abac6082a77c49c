/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of a walk share: its end, and its progress. */
#include "walk_internal.h"

void walk_stop(struct tree_walk *w, enum walk_status status)
{
	pthread_mutex_lock(&w->lock);
	if (w->status == WALK_OK)
		w->status = status;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

static struct walk_progress sum_progress(struct tree_walk *w)
{
	struct walk_progress p = {0};
	for (unsigned i = 0; i < w->walker_count; i++) {
		const struct walker *k = &w->walkers[i];
		const uint32_t depth = atomic_load_explicit(&k->deepest, memory_order_relaxed);
		p.entries += atomic_load_explicit(&k->visited, memory_order_relaxed);
		p.errors += atomic_load_explicit(&k->failures, memory_order_relaxed);
		p.deepest = depth > p.deepest ? depth : p.deepest;
	}
	pthread_mutex_lock(&w->lock);
	p.waiting = w->waiting;
	pthread_mutex_unlock(&w->lock);
	return p;
}

void walk_report_progress(struct tree_walk *w)
{
	const struct walk_options *o = w->options;
	if (o->wants_progress == NULL || pthread_mutex_trylock(&w->message_lock) != 0)
		return; /* another thread reports something; a request is not lost */
	if (o->wants_progress(o->context)) {
		const struct walk_progress p = sum_progress(w);
		o->progress(o->context, &p);
	}
	pthread_mutex_unlock(&w->message_lock);
}
