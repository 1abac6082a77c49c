/* SPDX-License-Identifier: BSD-2-Clause */
#include "pipeline.h"

#include <stdbool.h>
#include <stdlib.h>

#include <iotrace/iotrace.h>

#include "lib/base/thread.h"

struct stage {
	size_t done; /* slots */
	bool running;
	int status;
};

struct pipeline {
	struct pipeline_options options;
	pthread_mutex_t mutex; /* of all that follows */
	pthread_cond_t changed;
	size_t filled; /* slots */
	size_t waiting;
	bool ends;
	struct stage *stage;
	unsigned threads;
	pthread_t thread[];
};

/* Stages; the mutex is locked */

static bool is_ready(const struct pipeline *p, size_t i)
{
	return p->stage[i].done <
	       (i == p->options.later ? p->stage[p->options.earlier].done : p->filled);
}

/* Returns the number of stages if none can run. */
static size_t min_advanced(const struct pipeline *p)
{
	size_t found = p->options.stages;
	for (size_t i = 0; i < p->options.stages; i++)
		if (!p->stage[i].running && is_ready(p, i) &&
		    (found == p->options.stages || p->stage[i].done < p->stage[found].done))
			found = i;
	return found;
}

static void run_stage(struct pipeline *p, size_t i)
{
	struct stage *s = &p->stage[i];
	s->running = true;
	while (is_ready(p, i)) {
		const size_t slot = s->done % p->options.slots;
		int status = s->status;
		pthread_mutex_unlock(&p->mutex);
		if (status == IOT_OK)
			status = p->options.run(p->options.context, i, slot);
		pthread_mutex_lock(&p->mutex);
		s->status = status;
		s->done++;
		if (p->waiting > 0)
			pthread_cond_broadcast(&p->changed);
	}
	s->running = false;
}

/* Runs a stage, or waits until one may be ready. */
static void work_once(struct pipeline *p)
{
	const size_t i = min_advanced(p);
	if (i < p->options.stages) {
		run_stage(p, i);
		return;
	}
	p->waiting++;
	pthread_cond_wait(&p->changed, &p->mutex);
	p->waiting--;
}

static void *work(void *context)
{
	struct pipeline *p = context;
	pthread_mutex_lock(&p->mutex);
	while (!p->ends)
		work_once(p);
	pthread_mutex_unlock(&p->mutex);
	return NULL;
}

/* Slots that all stages have processed. */
static size_t all_done(const struct pipeline *p)
{
	size_t done = p->filled;
	for (size_t i = 0; i < p->options.stages; i++)
		done = p->stage[i].done < done ? p->stage[i].done : done;
	return done;
}

static int status_of(const struct pipeline *p)
{
	for (size_t i = 0; i < p->options.stages; i++)
		if (p->stage[i].status != IOT_OK)
			return p->stage[i].status;
	return IOT_OK;
}

/* The caller */

struct pipeline *pipeline_new(const struct pipeline_options *options)
{
	const unsigned threads = options->threads;
	struct pipeline *p = calloc(1, sizeof *p + threads * sizeof p->thread[0]);
	if (p == NULL)
		return NULL;
	p->options = *options;
	p->stage = calloc(options->stages + 1, sizeof *p->stage);
	if (p->stage == NULL) {
		free(p);
		return NULL;
	}
	pthread_mutex_init(&p->mutex, NULL);
	pthread_cond_init(&p->changed, NULL);
	while (p->threads + 1 < threads && thread_start(&p->thread[p->threads], work, p))
		p->threads++;
	return p;
}

void pipeline_free(struct pipeline *p)
{
	if (p == NULL)
		return;
	pthread_mutex_lock(&p->mutex);
	p->ends = true;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->mutex);
	for (unsigned i = 0; i < p->threads; i++)
		pthread_join(p->thread[i], NULL);
	pthread_mutex_destroy(&p->mutex);
	pthread_cond_destroy(&p->changed);
	free(p->stage);
	free(p);
}

size_t pipeline_reserve(struct pipeline *p)
{
	pthread_mutex_lock(&p->mutex);
	while (p->filled - all_done(p) == p->options.slots)
		work_once(p);
	const size_t slot = status_of(p) == IOT_OK ? p->filled % p->options.slots : PIPELINE_NONE;
	pthread_mutex_unlock(&p->mutex);
	return slot;
}

void pipeline_submit(struct pipeline *p)
{
	pthread_mutex_lock(&p->mutex);
	p->filled++;
	if (p->waiting > 0)
		pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->mutex);
}

int pipeline_finish(struct pipeline *p)
{
	pthread_mutex_lock(&p->mutex);
	while (all_done(p) < p->filled)
		work_once(p);
	const int status = status_of(p);
	pthread_mutex_unlock(&p->mutex);
	return status;
}
