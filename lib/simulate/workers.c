/* SPDX-License-Identifier: BSD-2-Clause */
#include "workers.h"

#include <stdbool.h>
#include <stdlib.h>

#include "lib/base/thread.h"

struct workers {
	pthread_mutex_t mutex;
	pthread_cond_t started, finished;
	worker_fn *fn;
	void *context;
	size_t count, next, running; /* tasks: of this round, not begun from here on, begun */
	bool ends;
	unsigned threads;
	pthread_t thread[];
};

/* Runs tasks until all have begun. The mutex is locked. */
static void run_tasks(struct workers *w)
{
	while (w->next < w->count) {
		const size_t task = w->next++;
		w->running++;
		pthread_mutex_unlock(&w->mutex);
		w->fn(w->context, task);
		pthread_mutex_lock(&w->mutex);
		w->running--;
	}
	if (w->running == 0)
		pthread_cond_signal(&w->finished);
}

static void *work(void *context)
{
	struct workers *w = context;
	pthread_mutex_lock(&w->mutex);
	while (!w->ends) {
		run_tasks(w);
		pthread_cond_wait(&w->started, &w->mutex);
	}
	pthread_mutex_unlock(&w->mutex);
	return NULL;
}

struct workers *workers_new(unsigned threads)
{
	struct workers *w = calloc(1, sizeof *w + threads * sizeof w->thread[0]);
	if (w == NULL)
		return NULL;
	pthread_mutex_init(&w->mutex, NULL);
	pthread_cond_init(&w->started, NULL);
	pthread_cond_init(&w->finished, NULL);
	while (w->threads + 1 < threads && thread_start(&w->thread[w->threads], work, w))
		w->threads++;
	return w;
}

void workers_free(struct workers *w)
{
	if (w == NULL)
		return;
	pthread_mutex_lock(&w->mutex);
	w->ends = true;
	pthread_cond_broadcast(&w->started);
	pthread_mutex_unlock(&w->mutex);
	for (unsigned i = 0; i < w->threads; i++)
		pthread_join(w->thread[i], NULL);
	pthread_mutex_destroy(&w->mutex);
	pthread_cond_destroy(&w->started);
	pthread_cond_destroy(&w->finished);
	free(w);
}

void workers_start(struct workers *w, worker_fn *fn, void *context, size_t count)
{
	pthread_mutex_lock(&w->mutex);
	w->fn = fn;
	w->context = context;
	w->count = count;
	w->next = 0;
	pthread_cond_broadcast(&w->started);
	pthread_mutex_unlock(&w->mutex);
}

void workers_finish(struct workers *w)
{
	pthread_mutex_lock(&w->mutex);
	run_tasks(w);
	while (w->running > 0)
		pthread_cond_wait(&w->finished, &w->mutex);
	pthread_mutex_unlock(&w->mutex);
}
