/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks that are read before a process asks for them. */
#include "sim_internal.h"

static uint64_t lower(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Reads the absent blocks of [block, end), as far as allocation needs no stall. */
static void prefetch(struct sim *s, const struct task *t, uint64_t block, uint64_t end)
{
	const uint64_t size = s->objects[t->object].size, unit = s->o->block;
	size_t run = 0;
	end = lower(end, size / unit + (size % unit != 0));
	for (; block < end; block++) {
		const uint64_t key = blocks_key(s, t->object, block);
		if (cache_find(s->cache, key) != CACHE_NONE) {
			(void)blocks_read_run(s, t->object, block, run);
			run = 0;
			continue;
		}
		const uint32_t entry = blocks_allocate(s, t->process, key);
		if (entry == CACHE_NONE)
			break;
		s->blocks[entry].busy_ns = INT64_MAX;
		s->blocks[entry].prefetched = true;
		s->result->prefetched_blocks++;
		s->entries[run++] = entry;
	}
	(void)blocks_read_run(s, t->object, block, run);
}

/* As much as was just read, if the read continues the previous I/O. */
static void ahead_of_request(struct sim *s, const struct task *t)
{
	const struct step *step = t->step;
	const struct sim_stream *stream = &s->streams[t->stream];
	const uint64_t from = step->offset + step->length, unit = s->o->block;
	const uint64_t to = lower(from + step->length, s->objects[t->object].size);
	if (stream->used && stream->io_end == step->offset && to > from)
		prefetch(s, t, from / unit, (to - 1) / unit + 1);
}

static void ahead_in_windows(struct sim *s, const struct task *t, bool missed)
{
	struct sim_stream *stream = &s->streams[t->stream];
	const uint64_t max = s->o->window / s->o->block, first = t->step->offset / s->o->block;
	const bool sequential =
	    t->step->offset == 0 || (stream->has_read && stream->read_end == t->step->offset);
	if (read_window_advance(&stream->window, first, t->end, missed && sequential, max))
		prefetch(s, t, stream->window.marker, stream->window.end);
}

void read_ahead(struct sim *s, const struct task *t, bool missed)
{
	if (s->o->read_ahead == READ_AHEAD_REQUEST)
		ahead_of_request(s, t);
	else if (s->o->read_ahead == READ_AHEAD_WINDOW)
		ahead_in_windows(s, t, missed);
}
