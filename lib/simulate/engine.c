/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine.h"

#include <stdlib.h>

#include "lib/base/array.h"

#include "distinct.h"
#include "workers.h"

struct engine {
	struct engine_options options;
	struct simulation **simulations;
	size_t count;
	int *status; /* of each simulation in the current round */
	struct workers *workers;
	struct distinct *distinct;
	struct reference_batch *batch[2], *current;
};

struct engine *engine_new(const struct engine_options *options, struct simulation **simulations,
			  size_t count)
{
	struct engine *e = calloc(1, sizeof *e);
	if (e == NULL)
		return NULL;
	e->options = *options;
	e->simulations = simulations;
	e->count = count;
	e->status = calloc(count + 1, sizeof *e->status);
	e->workers = workers_new(options->threads);
	e->distinct = distinct_new(options->distinct_memory);
	for (unsigned i = 0; i < 2; i++)
		e->batch[i] = calloc(1, sizeof *e->batch[i]);
	if (e->status == NULL || e->workers == NULL || e->distinct == NULL || e->batch[0] == NULL ||
	    e->batch[1] == NULL) {
		engine_free(e);
		return NULL;
	}
	return e;
}

void engine_free(struct engine *e)
{
	if (e == NULL)
		return;
	workers_free(e->workers);
	distinct_free(e->distinct);
	free(e->status);
	free(e->batch[0]);
	free(e->batch[1]);
	free(e);
}

/* Task 0 counts the distinct blocks of the batch before the current one, the last one reuse. */
static void run_task(void *context, size_t task)
{
	struct engine *e = context;
	if (task == 0)
		distinct_count(e->distinct);
	else if (task <= e->count)
		e->status[task - 1] = simulation_run(e->simulations[task - 1], e->current);
	else
		block_reuse_add(e->options.reuse, e->current);
}

/* Runs all simulations on a batch while `fill` prepares the next one. */
static int run_round(struct engine *e, struct reference_batch *b, struct reference_batch *next,
		     engine_fill_fn *fill, void *context, int *filled)
{
	int status = IOT_OK;
	e->current = b;
	workers_start(e->workers, run_task, e, e->count + 1 + (e->options.reuse != NULL));
	next->count = next->runs = next->actions = 0;
	*filled = *filled > 0 ? fill(context, next) : *filled;
	workers_finish(e->workers);
	for (size_t i = 0; i < e->count && status == IOT_OK; i++)
		status = e->status[i];
	if (e->count > 0)
		distinct_collect(e->distinct, b, simulation_results(e->simulations[0]));
	else
		distinct_collect(e->distinct, b, NULL);
	return status;
}

int engine_run(struct engine *e, engine_fill_fn *fill, void *context)
{
	struct reference_batch *b = e->batch[0], *next = e->batch[1];
	int status = IOT_OK, filled = fill(context, b);
	while (status == IOT_OK && (filled > 0 || b->count > 0 || b->actions > 0)) {
		status = run_round(e, b, next, fill, context, &filled);
		struct reference_batch *done = b;
		b = next;
		next = done;
	}
	distinct_count(e->distinct);
	for (size_t i = 0; i < e->count && status == IOT_OK; i++)
		status = simulation_finish(e->simulations[i]);
	if (e->options.reuse != NULL)
		block_reuse_finish(e->options.reuse);
	return status == IOT_OK && filled < 0 ? filled : status;
}

struct engine_firsts engine_firsts(const struct engine *e)
{
	return distinct_firsts(e->distinct);
}

struct engine_firsts engine_row_firsts(const struct engine *e, size_t row)
{
	return distinct_row_firsts(e->distinct, row);
}
