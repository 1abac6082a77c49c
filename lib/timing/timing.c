/* SPDX-License-Identifier: BSD-2-Clause */
#include "timing.h"

#include <stdlib.h>
#include <string.h>

#include "sim_internal.h"

uint64_t timing_bytes(const struct timing_options *o, struct world *const *worlds, size_t n)
{
	const struct sim_size size = sim_size_of(o, worlds, n);
	const uint64_t own = o->process_limit > 0 ? sizeof(struct own_block) : 0;
	return cache_bytes(o->policy, o->cache_blocks, 0) +
	       o->cache_blocks * (sizeof(struct block) + own + sizeof(uint32_t)) +
	       size.objects * sizeof(struct sim_object) + size.streams * sizeof(struct sim_stream) +
	       size.processes * 256 + size.rows * sizeof(struct timing_row) +
	       o->device.depth * sizeof(int64_t);
}

/* Returns whether the programs compute for more than TIMING_SLICES_MAX quanta. */
static bool computes_too_long(const struct timing_options *o, struct world *const *worlds, size_t n)
{
	uint64_t slices = 0;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < worlds[i]->program_count; k++) {
			const struct program *p = &worlds[i]->programs[k];
			for (size_t s = 0; s < p->count && slices <= TIMING_SLICES_MAX; s++)
				slices += call_burst_ns(o, &p->steps[s]) / o->quantum_ns;
		}
	return slices > TIMING_SLICES_MAX / o->copies;
}

static int check(const struct timing_options *o, struct world *const *worlds, size_t n,
		 struct error *error)
{
	const struct sim_size size = sim_size_of(o, worlds, n);
	if (size.objects >= UINT64_C(1) << CACHE_OBJECT_BITS)
		return error_set(error, IOT_ELIMIT,
				 "%ju objects, more than the limit of 2^24 of a simulation",
				 (uintmax_t)size.objects);
	if (size.streams >= UINT32_MAX || size.processes >= UINT32_MAX)
		return error_set(error, IOT_ELIMIT, "too many copies");
	if (!o->arrivals && computes_too_long(o, worlds, n))
		return error_set(
		    error, IOT_ELIMIT,
		    "the programs compute for more than %ju quanta of %ju ns: the limit "
		    "of a simulation; a longer quantum needs fewer",
		    (uintmax_t)TIMING_SLICES_MAX, (uintmax_t)o->quantum_ns);
	return IOT_OK;
}

/* Blocks that were never used although they were prefetched. */
static void count_unused(void *context, struct cache *c, uint32_t entry)
{
	struct sim *s = context;
	(void)c;
	s->result->wasted_blocks += s->blocks[entry].prefetched;
}

/* After the end, the rest is written as fast as the device can. */
static void end_run(struct sim *s)
{
	struct timing_result *r = s->result;
	r->wall_ns = (uint64_t)s->now_ns;
	rates_end(s, s->now_ns);
	sim_end(s);
	const struct timing_result results = *r;
	const uint64_t dirty_blocks = s->dirty_blocks;
	while (s->oldest_dirty != CACHE_NONE && s->error->status == IOT_OK)
		(void)write_back_block(s, s->oldest_dirty);
	*r = results;
	r->dirty_blocks = dirty_blocks;
	sim_pending(s);
	cache_visit(s->cache, 0, UINT64_MAX, count_unused, s);
}

int timing_run(const struct timing_options *o, struct world *const *worlds, size_t n,
	       struct timing_result *result, struct error *error)
{
	struct sim s = {.result = result, .error = error};
	memset(result, 0, sizeof *result);
	if (check(o, worlds, n, error) != IOT_OK)
		return error->status;
	if (!sim_init(&s, o, worlds, n))
		sim_no_memory(&s);
	else if ((o->arrivals ? arrivals_run : processes_run)(&s, worlds, n) == IOT_OK)
		end_run(&s);
	sim_free(&s);
	return error->status;
}

void timing_result_free(struct timing_result *r)
{
	free(r->rates);
	free(r->processes);
	free(r->rows);
	free(r->latencies);
	memset(r, 0, sizeof *r);
}
