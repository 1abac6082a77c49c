/* SPDX-License-Identifier: BSD-2-Clause */
/* CLOCK: FIFO with a bit for each block, which a hit sets and which spares the block once. */
#include "cache_internal.h"

ALWAYS_INLINE void clock_hit(struct cache *c, uint32_t e)
{
	c->states[e].count = 1;
}

ALWAYS_INLINE uint32_t clock_victim(struct cache *c, const struct cache_guard *guard)
{
	uint32_t e = list_oldest(c, 0, guard);
	while (e != 0 && c->states[e].count != 0) {
		c->states[e].count = 0;
		e = list_spare(c, 0, e, guard);
	}
	return e;
}

ALWAYS_INLINE uint32_t clock_miss(struct cache *c, uint64_t key, uint32_t ghost,
				  const struct cache_guard *guard)
{
	(void)ghost;
	if (c->resident == c->capacity) {
		const uint32_t victim = clock_victim(c, guard);
		if (victim == 0)
			return CACHE_NONE;
		cache_evict(c, victim);
	}
	const uint32_t e = cache_take(c, key);
	list_push(c, 0, e);
	return e;
}

POLICY_REFER(clock)

const struct cache_ops cache_clock = {
    .name = "clock", .nodes = nodes_resident, POLICY_REFERS(clock)};
