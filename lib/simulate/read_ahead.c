/* SPDX-License-Identifier: BSD-2-Clause */
#include "read_ahead.h"

#include <stdlib.h>

#include "lib/base/array.h"

#define BLOCK_MASK (((uint64_t)1 << CACHE_BLOCK_BITS) - 1)

/* The read-ahead window of a process's use of an object, in blocks; see Linux, mm/readahead.c. */
struct window {
	uint64_t start, size; /* size 0: none */
	uint64_t ahead;       /* the last blocks of it, whose first one is the marker */
};

struct read_ahead {
	struct simulation_options options;
	struct window *windows;
	size_t window_capacity;
	uint32_t run; /* of the batch: the one that contains the next reference */
	bool missed;  /* a reference of the current record */
};

struct read_ahead *read_ahead_new(const struct simulation_options *options)
{
	struct read_ahead *r = calloc(1, sizeof *r);
	if (r != NULL)
		r->options = *options;
	return r;
}

void read_ahead_free(struct read_ahead *r)
{
	if (r == NULL)
		return;
	free(r->windows);
	free(r);
}

/* Prefetches the absent ones of n blocks from key on, up to the end of the object. */
static void prefetch(const struct read_ahead *r, struct cache *c, uint64_t key, uint64_t n)
{
	const uint64_t end =
	    references_end(r->options.extents, (uint32_t)(key >> CACHE_BLOCK_BITS));
	const uint64_t block = key & BLOCK_MASK;
	if (block >= end)
		return;
	n = n < end - block ? n : end - block;
	for (uint64_t i = 0; i < n; i++)
		if (cache_find(c, key + i) == CACHE_NONE)
			cache_prefetch(c, key + i, NULL, NULL);
}

/* Returns bits of enum cache_result. */
static unsigned refer(struct cache *c, uint64_t key, unsigned how)
{
	uint32_t e = cache_find(c, key);
	const unsigned result = e != CACHE_NONE ? cache_hit(c, e) : 0;
	if (e == CACHE_NONE && !(how & CACHE_NO_ALLOCATE))
		e = cache_insert(c, key, NULL, NULL);
	if (e != CACHE_NONE && (how & CACHE_WRITE))
		cache_write(c, e);
	return result;
}

static uint64_t power_of_two(uint64_t n)
{
	uint64_t power = 1;
	while (power < n)
		power *= 2;
	return power;
}

static uint64_t first_window(uint64_t request, uint64_t max)
{
	const uint64_t size = power_of_two(request);
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

/* After the references [first, first + n) of a read, in blocks. */
static void advance_window(struct read_ahead *r, struct cache *c, const struct reference_run *run,
			   uint64_t first, uint64_t n)
{
	struct window *w = &r->windows[run->stream];
	const uint64_t max = r->options.prefetch_blocks, block = first & BLOCK_MASK;
	const uint64_t marker = w->start + w->size - w->ahead;
	if (w->size > 0 && block <= marker && marker < block + n) {
		w->start += w->size;
		w->size = w->ahead = next_window(w->size, max);
		prefetch(r, c, first - block + w->start, w->size);
	} else if (r->missed && (run->flags & (RUN_AT_ZERO | RUN_SEQUENTIAL)) != 0) {
		w->start = block;
		w->size = first_window(n, max);
		w->ahead = w->size > n ? w->size - n : w->size;
		if (w->size > n)
			prefetch(r, c, first + n, w->size - n);
	}
}

static void finish_record(struct read_ahead *r, struct cache *c, const struct reference_batch *b,
			  const struct reference_run *run)
{
	const uint64_t n = run->blocks,
		       first = b->key[run->first] + run->count - n; /* of the record */
	if (run->flags & RUN_WRITE)
		return;
	if (r->options.prefetch == PREFETCH_WINDOW)
		advance_window(r, c, run, first, n);
	else if (r->options.prefetch == PREFETCH_REQUEST && (run->flags & RUN_SEQUENTIAL) != 0)
		prefetch(r, c, first + n, n);
}

static bool reserve_window(struct read_ahead *r, uint32_t stream)
{
	return r->options.prefetch != PREFETCH_WINDOW ||
	       array_reserve_index(&r->windows, &r->window_capacity, stream, sizeof *r->windows);
}

int read_ahead_refer(struct read_ahead *r, struct cache *c, const struct reference_batch *b,
		     uint32_t from, uint32_t to, uint8_t *result)
{
	if (from == 0)
		r->run = 0;
	for (uint32_t i = from; i < to; i++) {
		while (b->run[r->run].first + b->run[r->run].count <= i)
			r->run++;
		const struct reference_run *run = &b->run[r->run];
		if (i == run->first && (run->flags & RUN_BEGINS) != 0)
			r->missed = false;
		if (!reserve_window(r, run->stream))
			return IOT_ENOMEM;
		result[i] = (uint8_t)refer(c, b->key[i], b->how[i]);
		const bool hit = (result[i] & CACHE_HIT) != 0;
		r->missed |= !hit;
		if (r->options.prefetch == PREFETCH_NEXT && !hit)
			prefetch(r, c, b->key[i] + 1, r->options.prefetch_blocks);
		if (i == run->first + run->count - 1 && (run->flags & RUN_ENDS) != 0)
			finish_record(r, c, b, run);
	}
	return IOT_OK;
}
