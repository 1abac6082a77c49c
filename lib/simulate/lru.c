/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * LRU and FIFO: one list, of which the oldest block is evicted. A hit in LRU makes it the newest.
 */
#include "cache_internal.h"

ALWAYS_INLINE uint32_t fifo_miss(struct cache *c, uint64_t key, uint32_t ghost,
				 const struct cache_guard *guard)
{
	(void)ghost;
	if (c->resident == c->capacity) {
		const uint32_t victim = list_oldest(c, 0, guard);
		if (victim == 0)
			return CACHE_NONE;
		cache_evict(c, victim);
	}
	const uint32_t e = cache_take(c, key);
	list_push(c, 0, e);
	return e;
}

ALWAYS_INLINE void fifo_hit(struct cache *c, uint32_t e)
{
	(void)c;
	(void)e;
}

ALWAYS_INLINE void lru_hit(struct cache *c, uint32_t e)
{
	list_renew(c, 0, e);
}

#define lru_miss fifo_miss

POLICY_REFER(fifo)
POLICY_REFER(lru)

const struct cache_ops cache_fifo = {.name = "fifo", .nodes = nodes_resident, POLICY_REFERS(fifo)};
const struct cache_ops cache_lru = {.name = "lru", .nodes = nodes_resident, POLICY_REFERS(lru)};
