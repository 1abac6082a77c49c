/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine.h"

#include <stdlib.h>
#include <string.h>

#include "distinct.h"
#include "pipeline.h"

enum { SLOTS = 8 };

struct engine_slot {
	struct reference_batch batch;
	uint8_t result[REFERENCES_MAX]; /* of the simulation that `filter` names */
};

struct engine {
	struct engine_options options;
	struct simulation **simulations;
	size_t count;
	struct pipeline *pipeline;
	struct distinct *distinct; /* NULL: not counted */
	size_t filter; /* the simulation, of which the misses may be first references; or none */
	struct engine_slot *slots;
};

/* The stages: the simulations, then distinct blocks, then reuse. */
static int run_stage(void *context, size_t stage, size_t slot)
{
	struct engine *e = context;
	struct engine_slot *s = &e->slots[slot];
	const struct reference_batch *b = &s->batch;
	int status = IOT_OK;
	if (stage < e->count) {
		status = simulation_run(e->simulations[stage], b);
		if (stage == e->filter)
			memcpy(s->result, simulation_results(e->simulations[stage]), b->count);
	} else if (stage == e->count && e->distinct != NULL)
		distinct_add(e->distinct, b, e->filter != PIPELINE_NONE ? s->result : NULL);
	else
		block_reuse_add(e->options.reuse, b);
	return status;
}

/* The simulation of the largest cache, which has the fewest misses; PIPELINE_NONE without any. */
static size_t largest(struct simulation **simulations, size_t count)
{
	size_t found = count > 0 ? 0 : PIPELINE_NONE;
	for (size_t i = 1; i < count; i++)
		if (simulation_capacity(simulations[i]) > simulation_capacity(simulations[found]))
			found = i;
	return found;
}

struct engine *engine_new(const struct engine_options *options, struct simulation **simulations,
			  size_t count)
{
	const bool distinct = options->distinct_memory > 0;
	/* A thread of its own has a batch in its processor's cache when it simulates it. */
	const size_t slots = options->threads > 1 ? SLOTS : 1;
	struct engine *e = calloc(1, sizeof *e);
	if (e == NULL)
		return NULL;
	e->options = *options;
	e->simulations = simulations;
	e->count = count;
	e->filter = distinct ? largest(simulations, count) : PIPELINE_NONE;
	e->pipeline = pipeline_new(
	    &(struct pipeline_options){.threads = options->threads,
				       .stages = count + distinct + (options->reuse != NULL),
				       .slots = slots,
				       .earlier = e->filter,
				       .later = e->filter != PIPELINE_NONE ? count : PIPELINE_NONE,
				       .run = run_stage,
				       .context = e});
	if (distinct)
		e->distinct = distinct_new(options->distinct_memory, options->block);
	e->slots = calloc(slots, sizeof *e->slots);
	if (e->pipeline == NULL || (distinct && e->distinct == NULL) || e->slots == NULL) {
		engine_free(e);
		return NULL;
	}
	return e;
}

void engine_free(struct engine *e)
{
	if (e == NULL)
		return;
	pipeline_free(e->pipeline);
	distinct_free(e->distinct);
	free(e->slots);
	free(e);
}

static struct reference_batch *next_batch(struct engine *e)
{
	const size_t slot = pipeline_reserve(e->pipeline);
	if (slot == PIPELINE_NONE)
		return NULL;
	struct reference_batch *b = &e->slots[slot].batch;
	b->count = b->runs = b->actions = 0;
	return b;
}

int engine_run(struct engine *e, engine_fill_fn *fill, void *context)
{
	struct reference_batch *b;
	int filled = 1;
	while (filled > 0 && (b = next_batch(e)) != NULL) {
		filled = fill(context, b);
		pipeline_submit(e->pipeline);
	}
	int status = pipeline_finish(e->pipeline);
	for (size_t i = 0; i < e->count && status == IOT_OK; i++)
		status = simulation_finish(e->simulations[i]);
	if (e->options.reuse != NULL)
		block_reuse_finish(e->options.reuse);
	return status == IOT_OK && filled < 0 ? filled : status;
}

struct engine_firsts engine_firsts(const struct engine *e)
{
	return e->distinct != NULL ? distinct_firsts(e->distinct)
				   : (struct engine_firsts){.known = false};
}

struct engine_firsts engine_row_firsts(const struct engine *e, size_t row)
{
	return e->distinct != NULL ? distinct_row_firsts(e->distinct, row)
				   : (struct engine_firsts){.known = false};
}
