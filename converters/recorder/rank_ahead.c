/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread that decodes calls of the ranks ahead. Each rank has two batches: the current one, and
 * one that is being decoded. During that time the thread owns the rank's times, grammar and sums.
 * Hysteresis: a waiting thread is woken only when half of the requested batches are done, because a
 * wakeup costs as much as several hundred calls.
 */
#include <pthread.h>
#include <stdlib.h>

#include "lib/base/thread.h"

#include "recorder.h"

enum {
	CALLS_MIN = 1 << 17,
	BATCHES = 1 << 14, /* total number of calls in one batch of every rank */
	WAKE_CALLS = 2048, /* wake the thread only if this many calls are requested */
};

/* Limits what a grammar may declare, so that sums do not overflow. */
#define CALLS_MAX ((uint64_t)1 << 48)

struct recorder_ahead {
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	/*
	 * Protected by the mutex. Ranks whose next batch is requested, each once: [done, wanted).
	 */
	struct recorder_rank *rank[RECORDER_GROUP_RANKS];
	size_t done, wanted;
	bool stop, idle; /* idle: the decoding thread waits */
	bool waits;      /* the consumer waits until at most `enough` requests are pending */
	size_t enough;
};

static struct recorder_batch *other(struct recorder_compressed *c)
{
	return c->batch == &c->both[0] ? &c->both[1] : &c->both[0];
}

/* The decoding thread */

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

/* The consuming thread */

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

/* Returns false if one rank has most of the calls: its state stays in the cache anyway. */
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

/*
 * Sizes the batch of each rank in proportion to its share of all calls. Returns false if out of
 * memory.
 */
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

/* Waits until the rank's next batch is decoded, and enough others to amortize the wakeup. */
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
