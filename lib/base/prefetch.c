/* SPDX-License-Identifier: BSD-2-Clause */
#include "prefetch.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#include "thread.h"

struct prefetch {
	prefetch_fn *fill;
	void *context;
	bool threaded, stop, ended;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t slots, filled, emptied; /* slots of the ring; slots filled and emptied so far */
	size_t enough;                 /* slots for which a waiting caller is woken */
	bool full, empty;              /* one of the threads waits */
	bool last;                     /* no more slots follow */
	bool lent;                     /* the caller owns the slot after the emptied ones */
	ssize_t result[];
};

/*
 * Hysteresis: a blocked side is woken only when half of the ring is available, because a wakeup
 * costs as much as several hundred events.
 */
static void wake(struct prefetch *p)
{
	const size_t n = p->filled - p->emptied;
	if ((p->full && n <= p->slots / 2) || (p->empty && (n >= p->enough || p->last)) || p->stop)
		pthread_cond_signal(&p->changed);
}

static void *work(void *context)
{
	struct prefetch *p = context;
	pthread_mutex_lock(&p->lock);
	while (!p->last && !p->stop) {
		p->full = p->filled - p->emptied > (p->full ? p->slots / 2 : p->slots - 1);
		if (p->full) {
			pthread_cond_wait(&p->changed, &p->lock);
			continue;
		}
		const size_t slot = p->filled % p->slots;
		pthread_mutex_unlock(&p->lock);
		const ssize_t result = p->fill(p->context, slot);
		pthread_mutex_lock(&p->lock);
		p->result[slot] = result;
		p->last = result <= 0;
		p->filled++;
		assert(p->filled - p->emptied <= p->slots);
		wake(p);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

struct prefetch *prefetch_new(prefetch_fn *fill, void *context, size_t slots, bool threaded)
{
	struct prefetch *p = calloc(1, sizeof(*p) + slots * sizeof(p->result[0]));
	if (p == NULL)
		return NULL;
	p->fill = fill;
	p->context = context;
	p->slots = slots;
	p->enough = slots / 2;
	if (!threaded || cpu_count() == 1)
		return p;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->changed, NULL);
	p->threaded = thread_start(&p->thread, work, p);
	if (!p->threaded) {
		pthread_mutex_destroy(&p->lock);
		pthread_cond_destroy(&p->changed);
	}
	return p;
}

void prefetch_wake_early(struct prefetch *p)
{
	if (p->threaded)
		pthread_mutex_lock(&p->lock);
	p->enough = 1;
	if (p->threaded)
		pthread_mutex_unlock(&p->lock);
}

static ssize_t wait_for_slot(struct prefetch *p, size_t *slot)
{
	pthread_mutex_lock(&p->lock);
	if (p->lent) {
		p->emptied++;
		wake(p);
	}
	p->empty = p->filled == p->emptied;
	while (p->empty) {
		pthread_cond_wait(&p->changed, &p->lock);
		p->empty = p->filled - p->emptied < p->enough && !p->last;
	}
	p->lent = true;
	*slot = p->emptied % p->slots;
	pthread_mutex_unlock(&p->lock);
	return p->result[*slot];
}

ssize_t prefetch_next(struct prefetch *p, size_t *slot)
{
	*slot = 0;
	if (p->ended)
		return 0;
	const ssize_t result = p->threaded ? wait_for_slot(p, slot) : p->fill(p->context, 0);
	p->ended = result <= 0;
	return result;
}

void prefetch_free(struct prefetch *p)
{
	if (p == NULL)
		return;
	if (p->threaded) {
		pthread_mutex_lock(&p->lock);
		p->stop = true;
		wake(p);
		pthread_mutex_unlock(&p->lock);
		pthread_join(p->thread, NULL);
		pthread_mutex_destroy(&p->lock);
		pthread_cond_destroy(&p->changed);
	}
	free(p);
}
