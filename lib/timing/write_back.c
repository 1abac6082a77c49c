/* SPDX-License-Identifier: BSD-2-Clause */
/* Delayed writes: dirty blocks in order of time, and I/Os of adjacent ones. */
#include "sim_internal.h"

enum { COALESCED_MAX = 1 << 20 }; /* bytes of one I/O */

void write_back_dirty(struct sim *s, uint32_t entry)
{
	struct block *b = &s->blocks[entry];
	if (b->dirty)
		return;
	struct sim_object *o = &s->objects[cache_key(s->cache, entry) >> CACHE_BLOCK_BITS];
	b->dirty = true;
	b->dirtied_ns = s->now_ns;
	b->older = s->newest_dirty;
	b->newer = CACHE_NONE;
	b->object_older = o->newest_dirty;
	b->object_newer = CACHE_NONE;
	*(b->older != CACHE_NONE ? &s->blocks[b->older].newer : &s->oldest_dirty) = entry;
	*(b->object_older != CACHE_NONE ? &s->blocks[b->object_older].object_newer
					: &o->oldest_dirty) = entry;
	s->newest_dirty = o->newest_dirty = entry;
	s->dirty_blocks++;
	s->result->dirtied_blocks++;
}

void write_back_forget(struct sim *s, uint32_t entry)
{
	struct block *b = &s->blocks[entry];
	struct sim_object *o = &s->objects[cache_key(s->cache, entry) >> CACHE_BLOCK_BITS];
	*(b->older != CACHE_NONE ? &s->blocks[b->older].newer : &s->oldest_dirty) = b->newer;
	*(b->newer != CACHE_NONE ? &s->blocks[b->newer].older : &s->newest_dirty) = b->older;
	*(b->object_older != CACHE_NONE ? &s->blocks[b->object_older].object_newer
					: &o->oldest_dirty) = b->object_newer;
	*(b->object_newer != CACHE_NONE ? &s->blocks[b->object_newer].object_older
					: &o->newest_dirty) = b->object_older;
	b->dirty = false;
	s->dirty_blocks--;
}

/* The entry of a dirty block, or CACHE_NONE. */
static uint32_t find_dirty(const struct sim *s, uint64_t key)
{
	const uint32_t entry = cache_find(s->cache, key);
	return entry != CACHE_NONE && s->blocks[entry].dirty ? entry : CACHE_NONE;
}

/* Up to the limit, first upward and then downward; keys of one object are adjacent. */
static void find_run(const struct sim *s, uint64_t *first, uint64_t *end)
{
	const uint64_t limit = COALESCED_MAX / s->o->block, blocks = UINT64_C(1)
								     << CACHE_BLOCK_BITS;
	const uint64_t key = *first;
	*end = key + 1;
	while (*end - key < limit && *end % blocks != 0 && find_dirty(s, *end) != CACHE_NONE)
		++*end;
	while (*end - *first < limit && *first % blocks != 0 &&
	       find_dirty(s, *first - 1) != CACHE_NONE)
		--*first;
}

int64_t write_back_block(struct sim *s, uint32_t entry)
{
	uint64_t first = cache_key(s->cache, entry), end;
	const uint64_t unit = s->o->block, block_mask = (UINT64_C(1) << CACHE_BLOCK_BITS) - 1;
	find_run(s, &first, &end);
	const int64_t done_ns =
	    sim_issue(s, (uint32_t)(first >> CACHE_BLOCK_BITS), (first & block_mask) * unit,
		      (end - first) * unit, true, true);
	for (uint64_t key = first; key < end; key++) {
		const uint32_t e = cache_find(s->cache, key);
		write_back_forget(s, e);
		s->blocks[e].busy_ns = clock_later(s->blocks[e].busy_ns, done_ns);
	}
	s->writing_blocks += end - first;
	s->result->cleaned_blocks += end - first;
	return done_ns;
}

void write_back_background(struct sim *s)
{
	while (s->dirty_blocks >= s->background_blocks && s->dirty_blocks > 0)
		(void)write_back_block(s, s->oldest_dirty);
}

void write_back_object(struct sim *s, uint32_t object)
{
	while (s->objects[object].oldest_dirty != CACHE_NONE)
		(void)write_back_block(s, s->objects[object].oldest_dirty);
}

int64_t write_back_timer(const struct sim *s)
{
	const uint64_t interval = s->o->writeback_interval_ns;
	if (s->oldest_dirty == CACHE_NONE || interval == 0)
		return INT64_MAX;
	const int64_t expired =
	    clock_add(s->blocks[s->oldest_dirty].dirtied_ns, s->o->dirty_expire_ns);
	const uint64_t turns = (uint64_t)expired / interval + ((uint64_t)expired % interval != 0);
	return clock_later(clock_add(0, turns * interval), s->now_ns);
}

void write_back_expired(struct sim *s)
{
	while (s->oldest_dirty != CACHE_NONE && write_back_timer(s) <= s->now_ns)
		(void)write_back_block(s, s->oldest_dirty);
}
