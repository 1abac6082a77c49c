/* SPDX-License-Identifier: BSD-2-Clause */
/* The blocks of the cache: which one is replaced, and runs of blocks that are read. */
#include "sim_internal.h"

/* A dirty block is written, so that later searches for a victim do not meet it again and again. */
static bool is_evictable(void *context, uint32_t entry)
{
	struct sim *s = context;
	const struct block *b = &s->blocks[entry];
	if (b->dirty && b->busy_ns <= s->now_ns)
		(void)write_back_block(s, entry);
	return b->busy_ns <= s->now_ns && !b->dirty;
}

/* Lists of own blocks */

static void own_unlink(struct sim *s, uint32_t entry)
{
	struct own_list *list = &s->own_lists[s->blocks[entry].owner];
	const struct own_block *o = &s->own[entry];
	*(o->older != CACHE_NONE ? &s->own[o->older].newer : &list->oldest) = o->newer;
	*(o->newer != CACHE_NONE ? &s->own[o->newer].older : &list->newest) = o->older;
	list->count--;
}

static void own_append(struct sim *s, uint32_t entry)
{
	struct own_list *list = &s->own_lists[s->blocks[entry].owner];
	s->own[entry] = (struct own_block){list->newest, CACHE_NONE};
	*(list->newest != CACHE_NONE ? &s->own[list->newest].newer : &list->oldest) = entry;
	list->newest = entry;
	list->count++;
}

static bool own_is_full(const struct sim *s, uint32_t process)
{
	return s->own != NULL && s->own_lists[process].count >= s->o->process_limit;
}

/* The block leaves the cache. */
static void forget(struct sim *s, uint32_t entry)
{
	s->result->wasted_blocks += s->blocks[entry].prefetched;
	if (s->own != NULL)
		own_unlink(s, entry);
}

static bool evict_own(struct sim *s, uint32_t process)
{
	uint32_t entry = s->own_lists[process].oldest;
	while (entry != CACHE_NONE && !is_evictable(s, entry))
		entry = s->own[entry].newer;
	if (entry == CACHE_NONE)
		return false;
	forget(s, entry);
	cache_remove(s->cache, entry);
	return true;
}

/* Allocation */

uint32_t blocks_allocate(struct sim *s, uint32_t process, uint64_t key)
{
	const struct cache_guard guard = {is_evictable, s};
	struct cache_victim victim;
	if (own_is_full(s, process) ? !evict_own(s, process) : s->full)
		return CACHE_NONE;
	const uint32_t entry = cache_insert(s->cache, key, &guard, &victim);
	if (entry == CACHE_NONE) {
		s->full = true;
		return CACHE_NONE;
	}
	if (victim.entry != CACHE_NONE)
		forget(s, victim.entry);
	s->blocks[entry] = (struct block){.owner = process, .async_process = PROCESS_NONE};
	if (s->own != NULL)
		own_append(s, entry);
	return entry;
}

void blocks_touch(struct sim *s, uint32_t entry)
{
	(void)cache_hit(s->cache, entry);
	if (s->own != NULL) {
		own_unlink(s, entry);
		own_append(s, entry);
	}
}

int64_t blocks_read_run(struct sim *s, uint32_t object, uint64_t end, size_t n)
{
	const uint64_t size = s->o->block;
	if (n == 0)
		return 0;
	const int64_t done_ns = sim_issue(s, object, (end - n) * size, n * size, false, false);
	for (size_t i = 0; i < n; i++) {
		struct block *b = &s->blocks[s->entries[i]];
		b->valid_ns = done_ns;
		b->busy_ns = done_ns;
	}
	return done_ns;
}

/* Ranges of an object */

struct range {
	struct sim *s;
	bool write;      /* dirty blocks before they are dropped */
	int64_t done_ns; /* of these writes */
};

static void drop_block(void *context, struct cache *c, uint32_t entry)
{
	struct range *range = context;
	struct sim *s = range->s;
	if (s->blocks[entry].dirty && range->write)
		range->done_ns = clock_later(range->done_ns, write_back_block(s, entry));
	if (s->blocks[entry].dirty) {
		s->result->cancelled_blocks++;
		write_back_forget(s, entry);
	}
	s->result->dropped_blocks++;
	forget(s, entry);
	s->full = false;
	cache_remove(c, entry);
}

static int64_t drop_range(struct range range, uint32_t object, uint64_t first, uint64_t last)
{
	if (cache_resident(range.s->cache) > 0)
		cache_visit(range.s->cache, cache_key_of(object, first), cache_key_of(object, last),
			    drop_block, &range);
	return range.done_ns;
}

void blocks_drop(struct sim *s, uint32_t object, uint64_t first, uint64_t last)
{
	(void)drop_range((struct range){.s = s}, object, first, last);
}

int64_t blocks_clean_and_drop(struct sim *s, uint32_t object, uint64_t first, uint64_t last)
{
	return drop_range((struct range){.s = s, .write = true}, object, first, last);
}
