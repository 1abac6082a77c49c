/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A ring of batches, each with its texts, between a producer and a consumer thread. Hysteresis: a
 * blocked side is woken only when half of the ring is available, because a wakeup costs as much as
 * several hundred events.
 */
#include "event_queue.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/thread.h"

enum { SLOTS = 16 };

struct slot {
	struct iot_event ev[EVENT_QUEUE_BATCH];
	ssize_t n;
	char *text;
	size_t text_capacity;
};

struct event_queue {
	event_queue_fn *pull;
	void *context;
	bool threaded, stop, ended;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t filled, emptied; /* slots so far */
	bool full, empty;       /* one of the threads waits */
	bool last;              /* no more batches follow */
	bool lent;              /* the caller owns the slot after the emptied ones */
	struct slot slot[SLOTS];
};

/* Texts are valid only until the next pull. */
static bool keep_texts(struct slot *s)
{
	size_t size = 0;
	for (ssize_t i = 0; i < s->n; i++)
		size += s->ev[i].text.size;
	if (size > s->text_capacity) {
		char *text = realloc(s->text, size);
		if (text == NULL)
			return false;
		s->text = text;
		s->text_capacity = size;
	}
	char *to = s->text;
	for (ssize_t i = 0; i < s->n && size > 0; i++) {
		struct iot_text *text = &s->ev[i].text;
		if (text->size == 0)
			continue;
		memcpy(to, text->data, text->size);
		text->data = to;
		to += text->size;
	}
	return true;
}

static void fill(struct event_queue *r, struct slot *s)
{
	s->n = r->pull(r->context, s->ev, EVENT_QUEUE_BATCH);
	if (s->n > 0 && !keep_texts(s))
		s->n = IOT_ENOMEM;
}

/* Wakes the waiter if enough is available. */
static void wake(struct event_queue *r)
{
	const size_t n = r->filled - r->emptied;
	if ((r->full && n <= SLOTS / 2) || (r->empty && (n >= SLOTS / 2 || r->last)) || r->stop)
		pthread_cond_signal(&r->changed);
}

static void *work(void *context)
{
	struct event_queue *r = context;
	pthread_mutex_lock(&r->lock);
	while (!r->last && !r->stop) {
		r->full = r->filled - r->emptied > (r->full ? SLOTS / 2 : SLOTS - 1);
		if (r->full) {
			pthread_cond_wait(&r->changed, &r->lock);
			continue;
		}
		struct slot *s = &r->slot[r->filled % SLOTS];
		pthread_mutex_unlock(&r->lock);
		fill(r, s);
		pthread_mutex_lock(&r->lock);
		r->last = s->n <= 0;
		r->filled++;
		wake(r);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

struct event_queue *event_queue_new(event_queue_fn *pull, void *context, bool alone)
{
	struct event_queue *r = calloc(1, sizeof(*r));
	if (r == NULL)
		return NULL;
	r->pull = pull;
	r->context = context;
	if (alone || cpu_count() == 1)
		return r;
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->changed, NULL);
	r->threaded = thread_start(&r->thread, work, r);
	if (r->threaded)
		return r;
	pthread_mutex_destroy(&r->lock);
	pthread_cond_destroy(&r->changed);
	return r;
}

static ssize_t wait_for(struct event_queue *r, struct iot_event **ev)
{
	pthread_mutex_lock(&r->lock);
	if (r->lent) {
		r->emptied++;
		wake(r);
	}
	r->empty = r->filled == r->emptied;
	while (r->empty) {
		pthread_cond_wait(&r->changed, &r->lock);
		r->empty = r->filled - r->emptied < SLOTS / 2 && !r->last;
	}
	struct slot *s = &r->slot[r->emptied % SLOTS];
	r->lent = true;
	pthread_mutex_unlock(&r->lock);
	*ev = s->ev;
	return s->n;
}

ssize_t event_queue_next(struct event_queue *r, struct iot_event **ev)
{
	if (r->ended)
		return 0;
	ssize_t n;
	if (r->threaded) {
		n = wait_for(r, ev);
	} else {
		n = r->pull(r->context, r->slot[0].ev, EVENT_QUEUE_BATCH);
		*ev = r->slot[0].ev;
	}
	r->ended = n <= 0;
	return n;
}

void event_queue_free(struct event_queue *r)
{
	if (r == NULL)
		return;
	if (r->threaded) {
		pthread_mutex_lock(&r->lock);
		r->stop = true;
		wake(r);
		pthread_mutex_unlock(&r->lock);
		pthread_join(r->thread, NULL);
		pthread_mutex_destroy(&r->lock);
		pthread_cond_destroy(&r->changed);
	}
	for (size_t i = 0; i < SLOTS; i++)
		free(r->slot[i].text);
	free(r);
}
