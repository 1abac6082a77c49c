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

/* Windows, in blocks; W is the largest. */

static uint64_t power_of_two(uint64_t n)
{
	uint64_t power = 1;
	while (power < n)
		power *= 2;
	return power;
}

static uint64_t first_window(uint64_t request, uint64_t max)
{
	const uint64_t size = request < max ? power_of_two(request) : max;
	if (size <= max / 32)
		return 4 * size;
	return size <= max / 4 ? 2 * size : max;
}

static uint64_t next_window(uint64_t size, uint64_t max)
{
	if (size < max / 16)
		return 4 * size;
	return size <= max / 2 ? 2 * size : max;
}

static void start_window(struct sim *s, const struct task *t, uint64_t first, uint64_t max)
{
	struct sim_stream *stream = &s->streams[t->stream];
	stream->window = first_window(t->end - first, max);
	stream->window_end = first + stream->window;
	if (stream->window_end <= t->end) {
		stream->window = 0; /* the request was larger: nothing to read ahead, no marker */
		return;
	}
	stream->marker = t->end;
	prefetch(s, t, t->end, stream->window_end);
}

static void continue_window(struct sim *s, const struct task *t, uint64_t max)
{
	struct sim_stream *stream = &s->streams[t->stream];
	stream->window = next_window(stream->window, max);
	stream->marker = stream->window_end;
	stream->window_end += stream->window;
	prefetch(s, t, stream->marker, stream->window_end);
}

static void ahead_in_windows(struct sim *s, const struct task *t, bool missed)
{
	const struct sim_stream *stream = &s->streams[t->stream];
	const uint64_t max = s->o->window / s->o->block, first = t->step->offset / s->o->block;
	const bool sequential =
	    t->step->offset == 0 || (stream->has_read && stream->read_end == t->step->offset);
	if (max == 0)
		return;
	if (stream->window > 0 && stream->marker >= first && stream->marker < t->end)
		continue_window(s, t, max);
	else if (missed && sequential)
		start_window(s, t, first, max);
}

void read_ahead(struct sim *s, const struct task *t, bool missed)
{
	if (s->o->read_ahead == READ_AHEAD_REQUEST)
		ahead_of_request(s, t);
	else if (s->o->read_ahead == READ_AHEAD_WINDOW)
		ahead_in_windows(s, t, missed);
}
