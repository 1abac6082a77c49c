/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * S3-FIFO: new blocks enter a small FIFO; those referenced again there, or while their keys are
 * ghosts, enter the main one, where a count of hits spares them.
 */
#include "cache_internal.h"

enum { SMALL, MAIN, GHOSTS };
enum { MAIN_TARGET, GHOSTS_MAX }; /* limits */
enum { COUNT_MAX = 3, PROMOTED_FROM = 2 };

static uint64_t s3fifo_nodes(uint64_t capacity)
{
	return capacity + capacity * 9 / 10;
}

static bool s3fifo_init(struct cache *c, const struct cache_future *future)
{
	(void)future;
	const uint32_t small = c->capacity / 10;
	c->limit[MAIN_TARGET] = c->capacity - (small > 0 ? small : 1);
	c->limit[GHOSTS_MAX] = (uint32_t)((uint64_t)c->capacity * 9 / 10);
	c->ghosts = 1 << GHOSTS;
	return true;
}

ALWAYS_INLINE void s3fifo_hit(struct cache *c, uint32_t e)
{
	struct cache_state *s = &c->states[e];
	if (s->count < COUNT_MAX)
		s->count = (s->count + 1U) & COUNT_MAX;
}

ALWAYS_INLINE bool s3fifo_evict_main(struct cache *c, const struct cache_guard *guard)
{
	uint32_t e = list_oldest(c, MAIN, guard);
	while (e != 0 && c->states[e].count > 0) {
		c->states[e].count = (c->states[e].count - 1U) & COUNT_MAX;
		e = list_spare(c, MAIN, e, guard);
	}
	if (e != 0)
		cache_evict(c, e);
	return e != 0;
}

ALWAYS_INLINE bool s3fifo_evict_small(struct cache *c, const struct cache_guard *guard)
{
	uint32_t e = list_oldest(c, SMALL, guard);
	while (e != 0 && c->states[e].count >= PROMOTED_FROM) {
		const uint32_t next = c->nodes[e].next;
		c->states[e].count = 0;
		list_unlink_from(c, SMALL, e);
		list_push(c, MAIN, e);
		e = list_evictable(c, SMALL, next, guard);
	}
	if (e != 0)
		cache_evict_to_ghost(c, e, GHOSTS, c->limit[GHOSTS_MAX]);
	return e != 0;
}

/* A list without a victim, since all its blocks were promoted or must stay, passes to the other. */
ALWAYS_INLINE bool s3fifo_evict(struct cache *c, const struct cache_guard *guard)
{
	if (c->size[MAIN] > c->limit[MAIN_TARGET] || c->size[SMALL] == 0)
		return s3fifo_evict_main(c, guard) || s3fifo_evict_small(c, guard);
	return s3fifo_evict_small(c, guard) || s3fifo_evict_main(c, guard);
}

ALWAYS_INLINE uint32_t s3fifo_miss(struct cache *c, uint64_t key, uint32_t ghost,
				   const struct cache_guard *guard)
{
	return policy_miss(c, key, ghost, guard, s3fifo_evict, GHOSTS, MAIN, SMALL);
}

POLICY_REFER(s3fifo)

const struct cache_ops cache_s3fifo = {
    .name = "s3fifo", .nodes = s3fifo_nodes, .init = s3fifo_init, POLICY_REFERS(s3fifo)};
