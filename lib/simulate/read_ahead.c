/* SPDX-License-Identifier: BSD-2-Clause */
#include "read_ahead.h"

#include <stdlib.h>

#include "lib/base/array.h"

#include "read_window.h"

#define BLOCK_MASK (((uint64_t)1 << CACHE_BLOCK_BITS) - 1)

struct read_ahead {
	struct simulation_options options;
	struct estimate *estimate;   /* NULL: none */
	struct read_window *windows; /* of streams */
	size_t window_capacity;
	uint64_t *end; /* without options.extents: of each object, the block after the last */
	size_t end_capacity;
	uint32_t run;              /* of the batch: the one that contains the next reference */
	bool missed;               /* a reference of the current record */
	uint32_t skipped_at_begin; /* bytes of its first block */
};

struct read_ahead *read_ahead_new(const struct simulation_options *options,
				  struct estimate *estimate)
{
	struct read_ahead *r = calloc(1, sizeof *r);
	if (r == NULL)
		return NULL;
	r->options = *options;
	r->estimate = estimate;
	return r;
}

void read_ahead_free(struct read_ahead *r)
{
	if (r == NULL)
		return;
	free(r->windows);
	free(r->end);
	free(r);
}

/* Prefetching */

/* The block after the last one of an object that may be prefetched. */
static uint64_t end_of(const struct read_ahead *r, uint32_t object)
{
	if (r->options.extents != NULL)
		return references_end(r->options.extents, object);
	return object < r->end_capacity ? r->end[object] : 0;
}

/* Without prefetching, the range of a drop ends at the last block that was referenced. */
uint64_t read_ahead_last(const struct read_ahead *r, uint64_t key)
{
	const uint64_t object = key & ~BLOCK_MASK,
		       end = object + end_of(r, (uint32_t)(key >> CACHE_BLOCK_BITS));
	if (r->options.prefetch == PREFETCH_NONE || key < end)
		return key;
	return end > object ? end - 1 : object;
}

/* Returns false if out of memory. */
static bool extend(struct read_ahead *r, uint64_t key, uint64_t blocks)
{
	const uint32_t object = (uint32_t)(key >> CACHE_BLOCK_BITS);
	const uint64_t end = (key & BLOCK_MASK) + blocks;
	if (r->options.prefetch == PREFETCH_NONE || r->options.extents != NULL ||
	    object == REFERENCES_FRESH_OBJECT)
		return true;
	if (!array_reserve_index(&r->end, &r->end_capacity, object, sizeof *r->end))
		return false;
	r->end[object] = end > r->end[object] ? end : r->end[object];
	return true;
}

/* Prefetches the absent ones of n blocks from key on, up to the end of the object. */
static void prefetch(const struct read_ahead *r, struct cache *c, uint64_t key, uint64_t n)
{
	const uint64_t end = end_of(r, (uint32_t)(key >> CACHE_BLOCK_BITS));
	const uint64_t block = key & BLOCK_MASK;
	struct cache_victim victim;
	if (block >= end)
		return;
	n = n < end - block ? n : end - block;
	for (uint64_t i = 0; i < n; i++) {
		if (cache_find(c, key + i) != CACHE_NONE)
			continue;
		cache_prefetch(c, key + i, NULL, &victim);
		if (r->estimate == NULL)
			continue;
		estimate_evicted(r->estimate, &victim);
		estimate_add(r->estimate, ESTIMATE_PREFETCHED, key + i);
	}
}

/* Estimates */

/* Returns whether the device reads an absent block: for a write, if a part of it is to be kept. */
static bool is_read(const struct read_ahead *r, const struct reference_run *run, uint32_t i)
{
	if (!(run->flags & RUN_WRITE))
		return true;
	return r->options.rmw && r->options.write != REFERENCES_AROUND &&
	       ((i == run->first && run->skipped_at_begin > 0) ||
		(i == run->first + run->count - 1 && run->skipped_at_end > 0));
}

static void estimate_reference(struct read_ahead *r, const struct reference_batch *b,
			       const struct reference_run *run, uint32_t i, bool hit,
			       const struct cache_victim *victim)
{
	struct estimate *e = r->estimate;
	e->async = (run->flags & RUN_ASYNC) != 0;
	estimate_evicted(e, victim);
	if (!hit && is_read(r, run, i))
		estimate_add(e, ESTIMATE_READ, b->key[i]);
	if ((run->flags & RUN_WRITE) && r->options.write != REFERENCES_BACK)
		estimate_add(e, ESTIMATE_WRITE, b->key[i]);
}

/* After the references [first, first + n) of a read, in blocks. */
static void advance_window(struct read_ahead *r, struct cache *c, const struct reference_run *run,
			   uint64_t first, uint64_t n)
{
	struct read_window *w = &r->windows[run->stream];
	const uint64_t block = first & BLOCK_MASK;
	const bool opens = r->missed && (run->flags & (RUN_AT_ZERO | RUN_AFTER_READ)) != 0;
	if (read_window_advance(w, block, block + n, opens, r->options.prefetch_blocks))
		prefetch(r, c, first - block + w->marker, w->end - w->marker);
}

/* The blocks of as many bytes as the record has, from its end. */
static void prefetch_request(const struct read_ahead *r, struct cache *c, uint64_t last,
			     const struct reference_run *run)
{
	const uint64_t block = r->options.block, skipped = run->skipped_at_end,
		       bytes = run->blocks * block - r->skipped_at_begin - skipped,
		       to = last + (block - skipped + bytes - 1) / block + 1,
		       from = skipped > 0 ? last : last + 1;
	prefetch(r, c, from, to - from);
}

static void prefetch_after(struct read_ahead *r, struct cache *c, const struct reference_batch *b,
			   const struct reference_run *run)
{
	const uint64_t n = run->blocks,
		       first = b->key[run->first] + run->count - n; /* of the record */
	if (run->flags & RUN_WRITE)
		return;
	if (r->options.prefetch == PREFETCH_WINDOW)
		advance_window(r, c, run, first, n);
	else if (r->options.prefetch == PREFETCH_REQUEST && (run->flags & RUN_SEQUENTIAL) != 0)
		prefetch_request(r, c, first + n - 1, run);
}

static void finish_record(struct read_ahead *r, struct cache *c, const struct reference_batch *b,
			  const struct reference_run *run)
{
	prefetch_after(r, c, b, run);
	if (r->estimate != NULL)
		estimate_end(r->estimate);
}

static bool reserve_window(struct read_ahead *r, uint32_t stream)
{
	return r->options.prefetch != PREFETCH_WINDOW ||
	       array_reserve_index(&r->windows, &r->window_capacity, stream, sizeof *r->windows);
}

/* Returns false if out of memory. */
static bool begin_run(struct read_ahead *r, const struct reference_batch *b,
		      const struct reference_run *run)
{
	if (!(run->flags & RUN_BEGINS))
		return true;
	r->missed = false;
	r->skipped_at_begin = run->skipped_at_begin;
	return reserve_window(r, run->stream) && extend(r, b->key[run->first], run->blocks);
}

static void refer(struct read_ahead *r, struct cache *c, const struct reference_batch *b,
		  uint32_t i, uint8_t *result)
{
	struct cache_victim victim;
	result[i] = (uint8_t)cache_refer_one(c, b->key[i], b->how[i], &victim);
	const bool hit = (result[i] & CACHE_HIT) != 0;
	r->missed |= !hit;
	if (r->estimate != NULL)
		estimate_reference(r, b, &b->run[r->run], i, hit, &victim);
	if (r->options.prefetch == PREFETCH_NEXT && !hit)
		prefetch(r, c, b->key[i] + 1, r->options.prefetch_blocks);
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
		if (i == run->first && !begin_run(r, b, run))
			return IOT_ENOMEM;
		refer(r, c, b, i, result);
		if (i == run->first + run->count - 1 && (run->flags & RUN_ENDS) != 0)
			finish_record(r, c, b, run);
	}
	return IOT_OK;
}
