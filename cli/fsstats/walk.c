/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads of a walk. They wait after a directory while a checkpoint is written. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "walk_internal.h"
#include "lib/base/clock.h"

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

/* Waits for a directory. Returns NULL if none is left. */
static struct subtree *next_directory(struct tree_walk *w)
{
	struct subtree *d = NULL;
	pthread_mutex_lock(&w->lock);
	w->busy--;
	consider_pause(w);
	while ((w->queue == NULL || w->pausing) && (w->busy > 0 || w->pausing) &&
	       w->status == WALK_OK) {
		if (w->pausing && w->busy == 0)
			pause_walk(w);
		else
			pthread_cond_wait(&w->changed, &w->lock);
	}
	if (w->status == WALK_OK)
		d = w->queue;
	if (d != NULL) {
		w->queue = d->next;
		w->waiting--;
		w->busy++;
	} else {
		pthread_cond_broadcast(&w->changed);
	}
	pthread_mutex_unlock(&w->lock);
	return d;
}

static void *run(void *context)
{
	struct walker *k = context;
	struct subtree *d;
	while ((d = next_directory(k->walk)) != NULL) {
		walk_directory(k, d);
		subtree_release(d);
	}
	held_release(&k->held);
	return NULL;
}

static void release_queue(struct tree_walk *w)
{
	while (w->queue != NULL) { /* after a failure */
		struct subtree *d = w->queue;
		w->queue = d->next;
		subtree_release(d);
	}
}

static void join_walkers(struct tree_walk *w)
{
	for (unsigned i = 0; i < w->walker_count; i++) {
		struct walker *k = &w->walkers[i];
		if (k->started)
			pthread_join(k->thread, NULL);
		if (k->survey != NULL)
			survey_join(w->survey, k->survey);
		survey_free(k->survey);
		free(k->entries);
		free(k->places);
	}
	free(w->walkers);
}

static void start(struct tree_walk *w, struct walker *k)
{
	pthread_mutex_lock(&w->lock);
	w->busy++;
	pthread_mutex_unlock(&w->lock);
	k->started = pthread_create(&k->thread, NULL, run, k) == 0;
	if (k->started)
		return;
	pthread_mutex_lock(&w->lock);
	w->busy--;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

static bool make_walkers(struct tree_walk *w)
{
	w->walkers = calloc(w->options->threads, sizeof *w->walkers);
	if (w->walkers == NULL)
		return false;
	for (; w->walker_count < w->options->threads; w->walker_count++) {
		struct walker *k = &w->walkers[w->walker_count];
		k->walk = w;
		k->survey = calloc(1, sizeof *k->survey);
		k->entries = malloc(WALK_ENTRIES_BYTES);
		if (k->survey == NULL || k->entries == NULL)
			return false;
		k->survey->now_s = w->survey->now_s;
		k->survey->by = w->survey->by;
		k->survey->depth = w->survey->depth;
		k->survey->names = w->survey->names;
	}
	return w->walker_count > 0;
}

/* Goes on without threads that cannot be started; the last walker runs on the caller's thread. */
static void run_walkers(struct tree_walk *w)
{
	w->begin_ns = clock_monotonic_ns();
	for (const struct subtree *d = w->queue; d != NULL; d = d->next)
		w->waiting++;
	w->checkpoint_ns = w->begin_ns + w->options->checkpoint_ns;
	if (!make_walkers(w)) {
		walk_stop(w, WALK_NO_MEMORY);
	} else {
		w->busy = 1;
		struct walker *last = &w->walkers[w->walker_count - 1];
		for (unsigned i = 0; i + 1 < w->walker_count; i++)
			start(w, &w->walkers[i]);
		last->walk = w;
		run(last);
	}
	join_walkers(w);
}

static enum walk_status walk_open(struct tree_walk *w, int *fds, char *const *roots, size_t count,
				  size_t *bad)
{
	const enum walk_status status = walk_open_roots(w, fds, roots, count, bad);
	if (status != WALK_OK || !w->options->resumes)
		return status;
	return walk_load(w, fds, roots, count) ? WALK_OK : WALK_BAD_CHECKPOINT;
}

enum walk_status walk_trees(struct fs_survey *s, char *const *roots, size_t count,
			    const struct walk_options *options, size_t *bad)
{
	struct tree_walk w = {.options = options,
			      .survey = s,
			      .lock = PTHREAD_MUTEX_INITIALIZER,
			      .changed = PTHREAD_COND_INITIALIZER,
			      .links_lock = PTHREAD_MUTEX_INITIALIZER,
			      .message_lock = PTHREAD_MUTEX_INITIALIZER};
	int *fds = malloc(count * sizeof *fds);
	w.volume = malloc(count * sizeof *w.volume);
	if (fds == NULL || w.volume == NULL) {
		free(fds);
		free(w.volume);
		return WALK_NO_MEMORY;
	}
	for (size_t i = 0; i < count; i++)
		fds[i] = -1;
	w.status = walk_open(&w, fds, roots, count, bad);
	const int error = errno;
	if (w.status == WALK_OK)
		run_walkers(&w);
	release_queue(&w);
	if (w.status == WALK_OK && s->no_memory)
		w.status = WALK_NO_MEMORY;
	for (size_t i = 0; i < count; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	free(w.volume);
	free(fds);
	errno = error;
	return w.status;
}
