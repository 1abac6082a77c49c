/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SIEVE: blocks stay in the order of their insertion; a hand moves from the old end to the new end
 * and clears the bits that hits have set, until it finds a block without.
 */
#include "cache_internal.h"

ALWAYS_INLINE void sieve_hit(struct cache *c, uint32_t e)
{
	c->states[e].count = 1;
}

/* The next newer block; 0 at the new end. */
ALWAYS_INLINE uint32_t sieve_newer(const struct cache *c, uint32_t e)
{
	const uint32_t next = c->nodes[e].next;
	return next != list_end(0) ? next : 0;
}

/* Each bit is cleared at most once, so two rounds suffice. */
ALWAYS_INLINE uint32_t sieve_victim(struct cache *c, const struct cache_guard *guard)
{
	uint32_t e = c->hand;
	for (uint64_t steps = 0; steps <= 2 * (uint64_t)c->capacity; steps++) {
		if (e == 0)
			e = c->nodes[list_end(0)].next;
		if (evictable(guard, e)) {
			if (c->states[e].count == 0)
				return e;
			c->states[e].count = 0;
		}
		e = sieve_newer(c, e);
	}
	return 0;
}

ALWAYS_INLINE uint32_t sieve_miss(struct cache *c, uint64_t key, uint32_t ghost,
				  const struct cache_guard *guard)
{
	(void)ghost;
	if (c->resident == c->capacity) {
		const uint32_t victim = sieve_victim(c, guard);
		if (victim == 0)
			return CACHE_NONE;
		c->hand = sieve_newer(c, victim);
		cache_evict(c, victim);
	}
	const uint32_t e = cache_take(c, key);
	list_push(c, 0, e);
	return e;
}

static void sieve_remove(struct cache *c, uint32_t e)
{
	if (c->hand == e)
		c->hand = sieve_newer(c, e);
	list_unlink(c, e);
}

POLICY_REFER(sieve)

const struct cache_ops cache_sieve = {
    .name = "sieve", .nodes = nodes_resident, .remove = sieve_remove, POLICY_REFERS(sieve)};
