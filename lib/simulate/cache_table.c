/* SPDX-License-Identifier: BSD-2-Clause */
/* Deletion from the hash table. */
#include "cache_internal.h"

/* The distance of slot i from the slot that the hash of its key selects. */
static uint32_t distance_of(const struct cache *c, uint32_t i)
{
	const uint32_t d = c->slots[i] >> NODE_BITS;
	if (d < DISTANCE_MAX)
		return d;
	return (i - cache_home(c, c->nodes[c->slots[i] & NODE_MASK].key)) & c->mask;
}

/* Empties a slot: later slots of the cluster move backward unless that passes their home. */
static void slot_delete(struct cache *c, uint32_t hole)
{
	for (uint32_t i = hole;;) {
		i = (i + 1) & c->mask;
		if (c->slots[i] == 0)
			break;
		const uint32_t d = distance_of(c, i), gap = (i - hole) & c->mask;
		if (d < gap)
			continue;
		c->slots[hole] = (c->slots[i] & NODE_MASK) | slot_distance(d - gap);
		hole = i;
	}
	c->slots[hole] = 0;
}

void cache_unhash(struct cache *c, uint32_t e)
{
	uint32_t i = cache_home(c, c->nodes[e].key);
	while ((c->slots[i] & NODE_MASK) != e)
		i = (i + 1) & c->mask;
	slot_delete(c, i);
}
