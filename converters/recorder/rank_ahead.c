/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread that makes calls of the ranks ahead of their turn: each has two batches, one in hand and
 * one that is made meanwhile. While it is, the rank's times, grammar and sums are the thread's own.
 * Who had to wait goes on when half of what is wanted is there, as waking somebody costs as much as
 * some hundred calls.
 */
#include <pthread.h>
#include <stdlib.h>

#include "lib/base/cpu_count.h"
#include "lib/base/thread.h"

#include "recorder.h"

enum {
	CALLS_MIN = 1 << 17,
	BATCHES = 1 << 14, /* calls in a batch of each rank, together */
	WAKE_CALLS = 2048, /* so many have to be wanted to wake the thread */
};

/* A grammar may claim more; sums of this stay in bounds. */
#define CALLS_MAX ((uint64_t)1 << 48)

struct recorder_ahead {
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	/* Under the mutex. Ranks whose next batch is wanted, each once: [done, wanted). */
	struct recorder_rank *rank[RECORDER_GROUP_RANKS];
	size_t done, wanted;
	bool stop, idle; /* idle: the thread waits */
	bool waits;      /* so does the one that takes, for this: */
	size_t enough;
};

static struct recorder_batch *other(struct recorder_compressed *c)
{
	return c->batch == &c->both[0] ? &c->both[1] : &c->both[0];
}

/* The thread that makes */

static void *work(void *context)
{
	struct recorder_ahead *a = context;
	pthread_mutex_lock(&a->mutex);
	while (!a->stop) {
		a->idle = a->done == a->wanted;
		if (a->idle) {
			pthread_cond_wait(&a->changed, &a->mutex);
			continue;
		}
		struct recorder_rank *k = a->rank[a->done % RECORDER_GROUP_RANKS];
		struct recorder_batch *b = other(k->compressed);
		pthread_mutex_unlock(&a->mutex);
		recorder_decode(k, b);
		pthread_mutex_lock(&a->mutex);
		a->done++;
		k->compressed->making = false;
		if (a->waits && a->wanted - a->done <= a->enough)
			pthread_cond_signal(&a->changed);
	}
	pthread_mutex_unlock(&a->mutex);
	return NULL;
}

/* The thread that takes */

static void want(struct recorder_ahead *a, struct recorder_rank *k)
{
	if (k->compressed->batch->last)
		return;
	k->compressed->making = true;
	a->rank[a->wanted++ % RECORDER_GROUP_RANKS] = k;
}

static uint64_t calls_of(const struct recorder_rank *k)
{
	const struct recorder_grammar *g = k->compressed->unit->grammar;
	const uint64_t calls = g->rule[g->start].total;
	return calls < CALLS_MAX ? calls : CALLS_MAX;
}

static bool grow(struct recorder_compressed *c, size_t capacity)
{
	for (unsigned i = 0; i < 2; i++) {
		struct recorder_made *call = realloc(c->both[i].call, capacity * sizeof *call);
		if (call == NULL)
			return false;
		c->both[i].call = call;
	}
	c->batch_capacity = (uint32_t)capacity;
	return true;
}

/* Not where most calls are of one rank: what they need stays in the cache as it is. */
static bool pays(const struct recorder_order *o, uint64_t *all)
{
	uint64_t max = 0;
	*all = 0;
	for (uint32_t i = 0; i < o->count; i++) {
		const uint64_t calls = calls_of(o->rank[i]);
		max = calls > max ? calls : max;
		*all += calls;
	}
	return *all >= CALLS_MIN && max <= *all / 2 && cpu_count() > 1;
}

/* The more of all calls a rank has, the larger are its batches. False: no memory. */
static bool make_batches(const struct recorder_order *o, uint64_t all)
{
	for (uint32_t i = 0; i < o->count; i++) {
		const double share = (double)calls_of(o->rank[i]) / (double)all;
		const size_t more = (size_t)(share * BATCHES / RECORDER_BATCH_MIN);
		if (!grow(o->rank[i]->compressed, (more > 0 ? more : 1) * RECORDER_BATCH_MIN))
			return false;
	}
	return true;
}

static void destroy(struct recorder *r)
{
	pthread_cond_destroy(&r->ahead->changed);
	pthread_mutex_destroy(&r->ahead->mutex);
	free(r->ahead);
	r->ahead = NULL;
}

static void want_all(struct recorder_ahead *a, const struct recorder_order *o)
{
	pthread_mutex_lock(&a->mutex);
	for (uint32_t i = 0; i < o->count; i++)
		want(a, o->rank[i]);
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->mutex);
}

void recorder_ahead_begin(struct recorder *r)
{
	uint64_t all;
	if (r->meta.kind != RECORDER_COMPRESSED || !pays(&r->order, &all))
		return;
	struct recorder_ahead *a = make_batches(&r->order, all) ? calloc(1, sizeof *a) : NULL;
	if (a == NULL)
		return;
	pthread_mutex_init(&a->mutex, NULL);
	pthread_cond_init(&a->changed, NULL);
	r->ahead = a;
	if (thread_start(&a->thread, work, a)) {
		want_all(a, &r->order);
		return;
	}
	destroy(r);
}

void recorder_ahead_end(struct recorder *r)
{
	struct recorder_ahead *a = r->ahead;
	if (a == NULL)
		return;
	pthread_mutex_lock(&a->mutex);
	a->stop = true;
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->mutex);
	pthread_join(a->thread, NULL);
	destroy(r);
}

/* Until the rank's next batch is made, and as much more as makes the waiting worth it. */
static void wait_for(struct recorder_ahead *a, const struct recorder_compressed *c)
{
	a->enough = (a->wanted - a->done) / 2;
	a->waits = true;
	if (a->idle)
		pthread_cond_signal(&a->changed);
	while (c->making || a->wanted - a->done > a->enough)
		pthread_cond_wait(&a->changed, &a->mutex);
	a->waits = false;
}

void recorder_ahead_take(struct recorder_rank *k)
{
	struct recorder_ahead *a = k->r->ahead;
	struct recorder_compressed *c = k->compressed;
	c->taken = 0;
	if (a == NULL) {
		recorder_decode(k, c->batch);
		return;
	}
	pthread_mutex_lock(&a->mutex);
	if (c->making)
		wait_for(a, c);
	c->batch = other(c);
	want(a, k);
	if (a->idle && (a->wanted - a->done) * c->batch_capacity >= WAKE_CALLS)
		pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->mutex);
}
