/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * LFU: blocks are in order of their count, and among equals of the time at which they reached it.
 * Blocks with equal counts are a group, which has its newest block, after which the next block with
 * that count is inserted. The group of new blocks always exists, so a miss needs no memory.
 */
#include <stdlib.h>

#include "lib/base/array.h"

#include "cache_internal.h"

enum { NEW = 0 }; /* the group of blocks with a count of 1; it may be empty */

struct lfu_group {
	uint64_t count;  /* of references to each block */
	uint32_t newest; /* of a free group: the next free one, + 1 */
	uint32_t size;
};

struct lfu {
	uint32_t *group; /* of each node */
	struct lfu_group *groups;
	uint32_t used, free; /* groups used so far; the first free one, + 1 */
	size_t capacity;
};

/* n groups need n * n / 2 references, so their memory is not counted. */
static uint64_t lfu_bytes(uint64_t capacity, uint64_t future)
{
	(void)future;
	return sizeof(struct lfu) + (capacity + NODE_FIRST) * sizeof(uint32_t);
}

static void lfu_free(struct cache *c)
{
	struct lfu *l = c->state;
	if (l == NULL)
		return;
	free(l->group);
	free(l->groups);
	free(l);
}

static bool reserve_group(struct lfu *l)
{
	return l->free != 0 ||
	       array_reserve(&l->groups, &l->capacity, (size_t)l->used + 1, sizeof *l->groups);
}

static bool lfu_init(struct cache *c, const struct cache_future *future)
{
	struct lfu *l = c->state = calloc(1, sizeof *l);
	(void)future;
	if (l == NULL)
		return false;
	l->group = calloc((size_t)c->capacity + NODE_FIRST, sizeof *l->group);
	if (l->group == NULL || !reserve_group(l))
		return false;
	l->groups[NEW] = (struct lfu_group){.count = 1};
	l->used = 1;
	return true;
}

/*
 * Inserts e after node `before`, which is in the same group or ends the group of the next lower
 * count.
 */
static void group_add(struct cache *c, struct lfu *l, uint32_t g, uint32_t before, uint32_t e)
{
	list_insert_after(c, 0, before, e);
	l->group[e] = g;
	l->groups[g].newest = e;
	l->groups[g].size++;
}

/* Returns an empty group, for which memory is reserved. */
static uint32_t group_take(struct lfu *l, uint64_t count)
{
	uint32_t g = l->free;
	if (g != 0) {
		g--;
		l->free = l->groups[g].newest;
	} else
		g = l->used++;
	l->groups[g].count = count;
	l->groups[g].size = 0;
	return g;
}

static void group_remove(struct cache *c, struct lfu *l, uint32_t e)
{
	const uint32_t g = l->group[e];
	if (--l->groups[g].size == 0 && g != NEW) {
		l->groups[g].newest = l->free;
		l->free = g + 1;
	} else if (l->groups[g].newest == e)
		l->groups[g].newest = c->nodes[e].prev;
	list_unlink(c, e);
}

ALWAYS_INLINE void lfu_hit(struct cache *c, uint32_t e)
{
	struct lfu *l = c->state;
	const uint32_t g = l->group[e], newest = l->groups[g].newest;
	const uint32_t next = c->nodes[newest].next;
	const uint64_t count = l->groups[g].count + 1;
	if (next != list_end(0) && l->groups[l->group[next]].count == count) {
		const uint32_t to = l->group[next];
		group_remove(c, l, e);
		group_add(c, l, to, l->groups[to].newest, e);
	} else if (l->groups[g].size == 1 && g != NEW)
		l->groups[g].count = count; /* alone, the block takes its group along */
	else if (reserve_group(l)) {        /* without memory, it is not counted */
		const uint32_t before = newest != e ? newest : c->nodes[e].prev;
		group_remove(c, l, e);
		group_add(c, l, group_take(l, count), before, e);
	}
}

ALWAYS_INLINE uint32_t lfu_miss(struct cache *c, uint64_t key, uint32_t ghost,
				const struct cache_guard *guard)
{
	struct lfu *l = c->state;
	(void)ghost;
	if (c->resident == c->capacity) {
		const uint32_t victim = list_oldest(c, 0, guard);
		if (victim == 0)
			return CACHE_NONE;
		group_remove(c, l, victim);
		cache_count_eviction(c, victim);
		cache_release(c, victim);
	}
	const uint32_t e = cache_take(c, key);
	group_add(c, l, NEW, l->groups[NEW].size != 0 ? l->groups[NEW].newest : list_end(0), e);
	return e;
}

static void lfu_remove(struct cache *c, uint32_t e)
{
	group_remove(c, c->state, e);
}

POLICY_REFER(lfu)

const struct cache_ops cache_lfu = {.name = "lfu",
				    .nodes = nodes_resident,
				    .bytes = lfu_bytes,
				    .init = lfu_init,
				    .free = lfu_free,
				    .remove = lfu_remove,
				    POLICY_REFERS(lfu)};
