/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "sim_internal.h"

struct sim_size sim_size_of(const struct timing_options *o, struct world *const *worlds, size_t n)
{
	struct sim_size size = {0};
	for (size_t i = 0; i < n; i++) {
		size.objects += worlds[i]->object_count * (o->share ? 1 : o->copies);
		size.streams += worlds[i]->stream_count * o->copies;
		size.processes += worlds[i]->process_ids.count * o->copies;
		size.rows +=
		    worlds[i]->options.by != BREAKDOWN_NONE ? worlds[i]->breakdown.rows.count : 0;
	}
	return size;
}

static void init_objects(struct sim *s, struct world *const *worlds, size_t n)
{
	const uint64_t copies = s->o->share ? 1 : s->o->copies;
	size_t object = 0;
	for (size_t i = 0; i < n; i++)
		for (uint64_t copy = 0; copy < copies; copy++)
			for (size_t k = 0; k < worlds[i]->object_count; k++)
				s->objects[object++].size = worlds[i]->objects[k].size;
}

/* A percentage of the cache, but at least a block. */
static uint64_t share_of(const struct timing_options *o, uint64_t percent)
{
	const uint64_t blocks = o->cache_blocks * percent / 100;
	return blocks > 0 ? blocks : 1;
}

static void init_limits(struct sim *s)
{
	s->limit_blocks = share_of(s->o, s->o->dirty_limit);
	s->background_blocks = share_of(s->o, s->o->dirty_background);
	if (s->background_blocks > s->limit_blocks)
		s->background_blocks = s->limit_blocks;
}

static bool init_own(struct sim *s, size_t entries)
{
	if (s->o->process_limit == 0)
		return true;
	s->own = calloc(entries, sizeof *s->own);
	s->own_lists = calloc(s->process_count + 1, sizeof *s->own_lists);
	return s->own != NULL && s->own_lists != NULL;
}

bool sim_init(struct sim *s, const struct timing_options *o, struct world *const *worlds, size_t n)
{
	const struct sim_size size = sim_size_of(o, worlds, n);
	s->o = o;
	s->object_count = size.objects;
	s->stream_count = size.streams;
	s->process_count = size.processes;
	s->cache = cache_new(o->policy, o->cache_blocks, NULL);
	if (s->cache == NULL || !device_init(&s->device, &o->device))
		return false;
	const size_t entries = cache_entries_max(s->cache);
	s->blocks = calloc(entries, sizeof *s->blocks);
	s->entries = calloc(o->cache_blocks, sizeof *s->entries);
	s->objects = calloc(s->object_count + 1, sizeof *s->objects);
	s->streams = calloc(s->stream_count + 1, sizeof *s->streams);
	s->result->rows = calloc(size.rows + 1, sizeof *s->result->rows);
	s->result->row_count = size.rows;
	if (s->blocks == NULL || s->entries == NULL || s->objects == NULL || s->streams == NULL ||
	    s->result->rows == NULL)
		return false;
	init_objects(s, worlds, n);
	init_limits(s);
	return init_own(s, entries);
}

void sim_free(struct sim *s)
{
	cache_free(s->cache);
	device_free(&s->device);
	event_queue_free(&s->completions);
	event_queue_free(&s->wakes);
	free(s->blocks);
	free(s->entries);
	free(s->stalled);
	free(s->objects);
	free(s->streams);
	free(s->own);
	free(s->own_lists);
	memset(s, 0, sizeof *s);
}

int sim_no_memory(struct sim *s)
{
	return error_no_memory(s->error);
}
