/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread that fills batches in the order of the requests. The merge fills batches itself that the
 * thread has not started when they are needed, so that both are busy as long as work remains.
 */
#include <pthread.h>
#include <stdlib.h>

#include "lib/base/thread.h"

#include "merge.h"

struct merge_prefetch {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t asked, filled;
	struct merge_source **queue; /* a ring; may contain a stream that is being filled */
	size_t capacity, first, count;
	bool stop;
};

/* The next stream to fill; NULL: stop requested. */
static struct merge_source *next(struct merge_prefetch *a)
{
	while (!a->stop) {
		if (a->count == 0) {
			pthread_cond_wait(&a->asked, &a->lock);
			continue;
		}
		struct merge_source *s = a->queue[a->first];
		a->first = (a->first + 1) % a->capacity;
		a->count--;
		if (s->state == MERGE_ASKED)
			return s;
	}
	return NULL;
}

static void *work(void *context)
{
	struct merge_prefetch *a = context;
	struct merge_source *s;
	pthread_mutex_lock(&a->lock);
	while ((s = next(a)) != NULL) {
		s->state = MERGE_FILLING;
		pthread_mutex_unlock(&a->lock);
		merge_source_fill(s);
		pthread_mutex_lock(&a->lock);
		s->state = MERGE_FILLED;
		pthread_cond_signal(&a->filled);
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

static void destroy(struct merge_prefetch *a)
{
	pthread_mutex_destroy(&a->lock);
	pthread_cond_destroy(&a->asked);
	pthread_cond_destroy(&a->filled);
	free(a->queue);
	free(a);
}

struct merge_prefetch *merge_prefetch_new(size_t sources)
{
	struct merge_prefetch *a = cpu_count() > 1 ? calloc(1, sizeof *a) : NULL;
	if (a == NULL)
		return NULL;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->asked, NULL);
	pthread_cond_init(&a->filled, NULL);
	a->capacity = sources;
	a->queue = calloc(sources, sizeof(*a->queue));
	if (a->queue != NULL && thread_start(&a->thread, work, a))
		return a;
	destroy(a);
	return NULL;
}

void merge_prefetch_free(struct merge_prefetch *a)
{
	if (a == NULL)
		return;
	pthread_mutex_lock(&a->lock);
	a->stop = true;
	pthread_cond_signal(&a->asked);
	pthread_mutex_unlock(&a->lock);
	pthread_join(a->thread, NULL);
	destroy(a);
}

/* A stream that the merge filled itself is still in the ring. */
static bool stands_in_queue(const struct merge_prefetch *a, const struct merge_source *s)
{
	for (size_t i = 0; i < a->count; i++)
		if (a->queue[(a->first + i) % a->capacity] == s)
			return true;
	return false;
}

void merge_prefetch_ask(struct merge_prefetch *a, struct merge_source *s)
{
	if (a == NULL) {
		s->state = MERGE_ASKED;
		return;
	}
	pthread_mutex_lock(&a->lock);
	s->state = MERGE_ASKED;
	if (!stands_in_queue(a, s))
		a->queue[(a->first + a->count++) % a->capacity] = s;
	pthread_cond_signal(&a->asked);
	pthread_mutex_unlock(&a->lock);
}

void merge_prefetch_wait(struct merge_prefetch *a, struct merge_source *s)
{
	bool mine = true;
	if (a != NULL) {
		pthread_mutex_lock(&a->lock);
		mine = s->state == MERGE_ASKED;
		if (mine)
			s->state = MERGE_FILLING;
		while (!mine && s->state == MERGE_FILLING)
			pthread_cond_wait(&a->filled, &a->lock);
		pthread_mutex_unlock(&a->lock);
	}
	/* The state stays unchanged until the next request: the thread may examine it. */
	if (mine)
		merge_source_fill(s);
}
