/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * 2Q: new blocks enter a FIFO; a block that is referenced again after it left that, while its key
 * is a ghost, enters an LRU list.
 */
#include "cache_internal.h"

enum { RECENT, FREQUENT, GHOSTS };
enum { RECENT_MAX, GHOSTS_MAX }; /* limits */

static uint64_t twoq_nodes(uint64_t capacity)
{
	return capacity + capacity / 2;
}

static bool twoq_init(struct cache *c, const struct cache_future *future)
{
	(void)future;
	c->limit[RECENT_MAX] = c->capacity / 4;
	c->limit[GHOSTS_MAX] = c->capacity / 2;
	c->ghosts = 1 << GHOSTS;
	return true;
}

ALWAYS_INLINE void twoq_hit(struct cache *c, uint32_t e)
{
	if (c->states[e].list == FREQUENT)
		list_renew(c, FREQUENT, e);
}

ALWAYS_INLINE bool twoq_evict(struct cache *c, const struct cache_guard *guard)
{
	const bool recent = c->size[RECENT] > c->limit[RECENT_MAX] || c->size[FREQUENT] == 0;
	uint32_t e = list_oldest(c, recent ? RECENT : FREQUENT, guard);
	if (e == 0)
		e = list_oldest(c, recent ? FREQUENT : RECENT, guard);
	if (e == 0)
		return false;
	if (c->states[e].list == RECENT)
		cache_evict_to_ghost(c, e, GHOSTS, c->limit[GHOSTS_MAX]);
	else
		cache_evict(c, e);
	return true;
}

ALWAYS_INLINE uint32_t twoq_miss(struct cache *c, uint64_t key, uint32_t ghost,
				 const struct cache_guard *guard)
{
	return policy_miss(c, key, ghost, guard, twoq_evict, GHOSTS, FREQUENT, RECENT);
}

POLICY_REFER(twoq)

const struct cache_ops cache_2q = {
    .name = "2q", .nodes = twoq_nodes, .init = twoq_init, POLICY_REFERS(twoq)};
