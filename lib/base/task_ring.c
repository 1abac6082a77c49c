/* SPDX-License-Identifier: BSD-2-Clause */
#include "task_ring.h"

#include <stdint.h>
#include <stdlib.h>

#include "thread.h"

enum {
	NONE = -1,
	RUN_MAX = 4,  /* slots that a thread processes before it chooses a task again */
	WAKE_MIN = 2, /* published slots for which a thread is woken, which takes time */
};

struct task_ring {
	struct task_ring_options options;
	pthread_mutex_t lock;
	pthread_cond_t work, progress; /* slots were published; a task has processed some */
	uint64_t published;            /* slots so far */
	struct {
		uint64_t done; /* slots so far */
		bool busy;
	} task[TASK_RING_TASKS];
	unsigned idle; /* threads that wait for work */
	bool waiting;  /* the caller waits for progress */
	bool stop, failed;
	size_t thread_count;
	pthread_t threads[TASK_RING_THREADS];
};

/* All these are called with the lock. */

static uint64_t slots_done(const struct task_ring *r)
{
	uint64_t done = r->published;
	for (unsigned i = 0; i < r->options.tasks; i++)
		done = r->task[i].done < done ? r->task[i].done : done;
	return done;
}

/* Returns the task that is furthest back and not busy; NONE if none has anything to do. */
static int choose(const struct task_ring *r)
{
	int best = NONE;
	uint64_t done = r->published;
	for (unsigned i = 0; i < r->options.tasks; i++)
		if (!r->task[i].busy && r->task[i].done < done) {
			best = (int)i;
			done = r->task[i].done;
		}
	return best;
}

/* Releases the lock while the task runs. */
static void run(struct task_ring *r, unsigned task)
{
	uint64_t at = r->task[task].done;
	const uint64_t end = r->published - at > RUN_MAX ? at + RUN_MAX : r->published;
	bool done = !r->failed;
	r->task[task].busy = true;
	pthread_mutex_unlock(&r->lock);
	for (; at < end && done; at++)
		done = r->options.run(r->options.context, task, (size_t)(at % r->options.slots));
	pthread_mutex_lock(&r->lock);
	r->task[task].done = end;
	r->task[task].busy = false;
	r->failed |= !done;
	if (r->waiting)
		pthread_cond_signal(&r->progress);
}

/* Runs a task, or waits until another thread has. */
static void help(struct task_ring *r)
{
	const int task = choose(r);
	if (task != NONE) {
		run(r, (unsigned)task);
		return;
	}
	r->waiting = true;
	pthread_cond_wait(&r->progress, &r->lock);
	r->waiting = false;
}

static void *work(void *context)
{
	struct task_ring *r = context;
	pthread_mutex_lock(&r->lock);
	while (!r->stop) {
		const int task = choose(r);
		if (task != NONE) {
			run(r, (unsigned)task);
			continue;
		}
		r->idle++;
		pthread_cond_wait(&r->work, &r->lock);
		r->idle--;
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

struct task_ring *task_ring_new(const struct task_ring_options *options, size_t threads)
{
	struct task_ring *r = calloc(1, sizeof *r);
	if (r == NULL)
		return NULL;
	r->options = *options;
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->work, NULL);
	pthread_cond_init(&r->progress, NULL);
	while (r->thread_count < threads && r->thread_count < TASK_RING_THREADS &&
	       thread_start(&r->threads[r->thread_count], work, r))
		r->thread_count++;
	if (r->thread_count > 0)
		return r;
	task_ring_free(r);
	return NULL;
}

size_t task_ring_slot(struct task_ring *r)
{
	pthread_mutex_lock(&r->lock);
	while (r->published - slots_done(r) >= r->options.slots)
		help(r);
	const size_t slot = (size_t)(r->published % r->options.slots);
	pthread_mutex_unlock(&r->lock);
	return slot;
}

void task_ring_publish(struct task_ring *r)
{
	pthread_mutex_lock(&r->lock);
	r->published++;
	if (r->idle > 0 && r->published - slots_done(r) >= WAKE_MIN)
		pthread_cond_signal(&r->work);
	pthread_mutex_unlock(&r->lock);
}

void task_ring_drain(struct task_ring *r)
{
	pthread_mutex_lock(&r->lock);
	if (r->idle > 0)
		pthread_cond_broadcast(&r->work);
	while (slots_done(r) < r->published)
		help(r);
	pthread_mutex_unlock(&r->lock);
}

bool task_ring_failed(struct task_ring *r)
{
	pthread_mutex_lock(&r->lock);
	const bool failed = r->failed;
	pthread_mutex_unlock(&r->lock);
	return failed;
}

void task_ring_free(struct task_ring *r)
{
	if (r == NULL)
		return;
	pthread_mutex_lock(&r->lock);
	r->stop = true;
	pthread_cond_broadcast(&r->work);
	pthread_mutex_unlock(&r->lock);
	for (size_t i = 0; i < r->thread_count; i++)
		pthread_join(r->threads[i], NULL);
	pthread_cond_destroy(&r->work);
	pthread_cond_destroy(&r->progress);
	pthread_mutex_destroy(&r->lock);
	free(r);
}
