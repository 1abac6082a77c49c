/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine.h"

#include <stdlib.h>

#include "distinct.h"
#include "pipeline.h"

enum { SLOTS = 8 };

struct engine {
	struct engine_options options;
	struct simulation **simulations;
	size_t count;
	struct pipeline *pipeline;
	struct distinct *distinct; /* NULL: not counted */
	struct reference_batch *slots;
};

/* The stages: the simulations, then distinct blocks, then reuse. */
static int run_stage(void *context, size_t stage, size_t slot)
{
	struct engine *e = context;
	const struct reference_batch *b = &e->slots[slot];
	if (stage < e->count)
		return simulation_run(e->simulations[stage], b);
	if (stage == e->count && e->distinct != NULL)
		distinct_add(e->distinct, b);
	else
		block_reuse_add(e->options.reuse, b);
	return IOT_OK;
}

struct engine *engine_new(const struct engine_options *options, struct simulation **simulations,
			  size_t count)
{
	const bool distinct = options->distinct_memory > 0;
	struct engine *e = calloc(1, sizeof *e);
	if (e == NULL)
		return NULL;
	e->options = *options;
	e->simulations = simulations;
	e->count = count;
	e->pipeline = pipeline_new(
	    &(struct pipeline_options){.threads = options->threads,
				       .stages = count + distinct + (options->reuse != NULL),
				       .slots = SLOTS,
				       .run = run_stage,
				       .context = e});
	if (distinct)
		e->distinct = distinct_new(options->distinct_memory, options->block);
	e->slots = calloc(SLOTS, sizeof *e->slots);
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
	if (slot == PIPELINE_FAILED)
		return NULL;
	struct reference_batch *b = &e->slots[slot];
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
