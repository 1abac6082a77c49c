/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread that fills batches in the order in which they were asked for. What it has not begun when
 * it is needed, the merge does itself, so that both are at work as long as there is any.
 */
#include <pthread.h>
#include <stdlib.h>

#include "lib/base/cpu_count.h"
#include "lib/base/thread.h"

#include "merge.h"

struct iot_merge_ahead {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t asked, filled;
	struct iot_merge_source *
	    *queue; /* a ring; a stream that is filled meanwhile may stand in it */
	size_t room, first, count;
	bool stop;
};

/* The next stream to be filled; NULL: told to stop. */
static struct iot_merge_source *next(struct iot_merge_ahead *a)
{
	while (!a->stop) {
		if (a->count == 0) {
			pthread_cond_wait(&a->asked, &a->lock);
			continue;
		}
		struct iot_merge_source *s = a->queue[a->first];
		a->first = (a->first + 1) % a->room;
		a->count--;
		if (s->state == IOT_MERGE_ASKED)
			return s;
	}
	return NULL;
}

static void *work(void *context)
{
	struct iot_merge_ahead *a = context;
	struct iot_merge_source *s;
	pthread_mutex_lock(&a->lock);
	while ((s = next(a)) != NULL) {
		s->state = IOT_MERGE_FILLING;
		pthread_mutex_unlock(&a->lock);
		iot_merge_source_fill(s);
		pthread_mutex_lock(&a->lock);
		s->state = IOT_MERGE_FILLED;
		pthread_cond_signal(&a->filled);
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

static void destroy(struct iot_merge_ahead *a)
{
	pthread_mutex_destroy(&a->lock);
	pthread_cond_destroy(&a->asked);
	pthread_cond_destroy(&a->filled);
	free(a->queue);
	free(a);
}

struct iot_merge_ahead *iot_merge_ahead_new(size_t sources)
{
	struct iot_merge_ahead *a = iot_processors() > 1 ? calloc(1, sizeof *a) : NULL;
	if (a == NULL)
		return NULL;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->asked, NULL);
	pthread_cond_init(&a->filled, NULL);
	a->room = sources;
	a->queue = calloc(sources, sizeof(*a->queue));
	if (a->queue != NULL && iot_thread_start(&a->thread, work, a))
		return a;
	destroy(a);
	return NULL;
}

void iot_merge_ahead_free(struct iot_merge_ahead *a)
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

/* Who was filled by the merge itself still has its place in the ring. */
static bool stands_in_queue(const struct iot_merge_ahead *a, const struct iot_merge_source *s)
{
	for (size_t i = 0; i < a->count; i++)
		if (a->queue[(a->first + i) % a->room] == s)
			return true;
	return false;
}

void iot_merge_ahead_ask(struct iot_merge_ahead *a, struct iot_merge_source *s)
{
	if (a == NULL) {
		s->state = IOT_MERGE_ASKED;
		return;
	}
	pthread_mutex_lock(&a->lock);
	s->state = IOT_MERGE_ASKED;
	if (!stands_in_queue(a, s))
		a->queue[(a->first + a->count++) % a->room] = s;
	pthread_cond_signal(&a->asked);
	pthread_mutex_unlock(&a->lock);
}

void iot_merge_ahead_wait(struct iot_merge_ahead *a, struct iot_merge_source *s)
{
	bool mine = true;
	if (a != NULL) {
		pthread_mutex_lock(&a->lock);
		mine = s->state == IOT_MERGE_ASKED;
		if (mine)
			s->state = IOT_MERGE_FILLING;
		while (!mine && s->state == IOT_MERGE_FILLING)
			pthread_cond_wait(&a->filled, &a->lock);
		pthread_mutex_unlock(&a->lock);
	}
	/* The state stays as it is until the next ask: the thread may look at it. */
	if (mine)
		iot_merge_source_fill(s);
}
