/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads of a walk. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "walk_internal.h"
#include "lib/base/clock.h"

static void *run(void *context)
{
	struct walker *k = context;
	struct walk_reading next;
	while ((next = walk_next(k->walk)).of != NULL) {
		walk_directory(k, &next);
		subtree_release(next.of);
	}
	held_release(&k->held);
	return NULL;
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
		k->held.max = w->options->held_max;
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
	walk_queue_begin(w);
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
	w.paused = calloc(options->paused_max + 1, sizeof *w.paused);
	if (fds == NULL || w.volume == NULL || w.paused == NULL) {
		free(fds);
		free(w.volume);
		free(w.paused);
		return WALK_NO_MEMORY;
	}
	for (size_t i = 0; i < count; i++)
		fds[i] = -1;
	w.status = walk_open(&w, fds, roots, count, bad);
	const int error = errno;
	if (w.status == WALK_OK)
		run_walkers(&w);
	walk_queue_release(&w);
	if (w.status == WALK_OK && s->no_memory)
		w.status = WALK_NO_MEMORY;
	for (size_t i = 0; i < count; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	free(w.volume);
	free(w.paused);
	free(fds);
	errno = error;
	return w.status;
}
