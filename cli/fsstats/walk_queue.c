/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The directories that wait for a thread, newest first, which keeps them few. If they need more
 * memory than they may, the directory in which they were found is read on after them.
 */
#include <unistd.h>

#include "walk_internal.h"
#include "lib/base/clock.h"

/* With the lock held. */
static bool pause_reading(struct tree_walk *w, const struct walk_reading *at)
{
	if (w->queue_bytes <= w->options->memory || w->pausing ||
	    w->paused_count == w->options->paused_max)
		return false;
	subtree_use(at->of);
	w->paused[w->paused_count++] = *at;
	return true;
}

bool walk_queue_found(struct walker *k, const struct walk_reading *at)
{
	struct tree_walk *w = k->walk;
	if (k->found == NULL)
		return false;
	pthread_mutex_lock(&w->lock);
	k->found_last->next = w->queue;
	w->queue = k->found;
	w->waiting += k->found_count;
	w->queue_bytes += k->found_bytes;
	k->found = NULL;
	k->found_count = 0;
	k->found_bytes = 0;
	const bool paused = pause_reading(w, at);
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
	return paused;
}

static bool is_interrupted(const struct tree_walk *w)
{
	const struct interrupt *i = w->options->interrupt;
	return i != NULL && interrupt_requested(i) != INTERRUPT_NONE;
}

/* Decides, with the lock held, whether threads have to wait for a checkpoint. */
static void consider_pause(struct tree_walk *w)
{
	if (w->options->checkpoint == NULL)
		return;
	w->pausing |= is_interrupted(w) || clock_monotonic_ns() >= w->checkpoint_ns;
}

/*
 * Writes a checkpoint, with the lock held, when no thread reads a directory. If that fails, the
 * walk goes on.
 */
static void pause_walk(struct tree_walk *w)
{
	const bool saved = walk_save(w);
	w->pausing = false;
	w->checkpoint_ns = clock_monotonic_ns() + w->options->checkpoint_ns;
	if (saved && w->options->kept != NULL)
		*w->options->kept = true;
	if (is_interrupted(w))
		w->status = saved ? WALK_INTERRUPTED : WALK_BAD_CHECKPOINT;
	pthread_cond_broadcast(&w->changed);
}

static bool has_next(const struct tree_walk *w)
{
	return w->paused_count > 0 || (w->queue != NULL && !w->pausing);
}

/* Checkpoints have no directories that were read in part, so these are read on before. */
static struct walk_reading take(struct tree_walk *w)
{
	struct subtree *d = w->queue;
	w->busy++;
	if (d == NULL || w->pausing)
		return w->paused[--w->paused_count];
	w->queue = d->next;
	w->waiting--;
	w->queue_bytes -= subtree_bytes(d);
	return (struct walk_reading){d, -1, 0};
}

struct walk_reading walk_next(struct tree_walk *w)
{
	struct walk_reading next = {NULL, -1, 0};
	pthread_mutex_lock(&w->lock);
	w->busy--;
	consider_pause(w);
	while (!has_next(w) && (w->busy > 0 || w->pausing) && w->status == WALK_OK) {
		if (w->pausing && w->busy == 0)
			pause_walk(w);
		else
			pthread_cond_wait(&w->changed, &w->lock);
	}
	if (w->status == WALK_OK && has_next(w))
		next = take(w);
	else
		pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
	return next;
}

void walk_queue_begin(struct tree_walk *w)
{
	for (const struct subtree *d = w->queue; d != NULL; d = d->next) {
		w->waiting++;
		w->queue_bytes += subtree_bytes(d);
	}
}

void walk_queue_release(struct tree_walk *w)
{
	while (w->queue != NULL) { /* after a failure */
		struct subtree *d = w->queue;
		w->queue = d->next;
		subtree_release(d);
	}
	while (w->paused_count > 0) {
		const struct walk_reading *p = &w->paused[--w->paused_count];
		close(p->fd);
		subtree_release(p->of);
	}
}
