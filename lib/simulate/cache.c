/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/hash.h"

static const struct cache_ops *const policies[CACHE_POLICIES] = {
    [CACHE_LRU] = &cache_lru,     [CACHE_FIFO] = &cache_fifo,
    [CACHE_CLOCK] = &cache_clock, [CACHE_LFU] = &cache_lfu,
    [CACHE_2Q] = &cache_2q,       [CACHE_ARC] = &cache_arc,
    [CACHE_LIRS] = &cache_lirs,   [CACHE_S3FIFO] = &cache_s3fifo,
    [CACHE_SIEVE] = &cache_sieve, [CACHE_WTINYLFU] = &cache_wtinylfu,
    [CACHE_OPT] = &cache_opt,
};

enum cache_policy cache_policy_find(const char *name, size_t size)
{
	enum cache_policy policy = 0;
	while (policy < CACHE_POLICIES && (strlen(policies[policy]->name) != size ||
					   memcmp(policies[policy]->name, name, size) != 0))
		policy++;
	return policy;
}

const char *cache_policy_name(enum cache_policy policy)
{
	return policies[policy]->name;
}

/* Life cycle */

/*
 * At most half of the slots are used, or four fifths. A small table has more: it stays in the
 * processor's caches, and a search that ends at the first slot costs no mispredicted branch.
 */
static uint64_t slots_for(const struct cache_ops *ops, uint64_t nodes)
{
	enum { SLOTS_MIN = 16, SLOTS_SMALL = 1 << 16, SPARSE = 8 };
	const uint64_t min = ops->is_dense ? nodes + nodes / 4 : 2 * nodes;
	uint64_t slots = SLOTS_MIN;
	while (slots < min || (slots < SPARSE * nodes && slots < SLOTS_SMALL))
		slots *= 2;
	return slots;
}

uint64_t cache_bytes(enum cache_policy policy, uint64_t capacity, uint64_t future)
{
	const struct cache_ops *ops = policies[policy];
	const uint64_t nodes = ops->nodes(capacity) + NODE_FIRST;
	return nodes * (sizeof(struct cache_node) + sizeof(struct cache_state)) +
	       slots_for(ops, ops->nodes(capacity)) * sizeof(uint32_t) +
	       (ops->bytes != NULL ? ops->bytes(capacity, future) : 0) + sizeof(struct cache);
}

struct cache *cache_new(enum cache_policy policy, uint64_t capacity,
			const struct cache_future *future)
{
	assert(capacity >= 1 && capacity <= CACHE_CAPACITY_MAX);
	const struct cache_ops *ops = policies[policy];
	const uint64_t nodes = ops->nodes(capacity) + NODE_FIRST,
		       slots = slots_for(ops, ops->nodes(capacity));
	struct cache *c = calloc(1, sizeof *c);
	if (c == NULL)
		return NULL;
	c->ops = ops;
	c->capacity = (uint32_t)capacity;
	c->used = NODE_FIRST;
	c->mask = (uint32_t)slots - 1;
	c->shift = 64 - (unsigned)__builtin_ctzll(slots);
	c->factor = hash_seed() | 1;
	c->nodes = calloc(nodes, sizeof *c->nodes);
	c->states = calloc(nodes, sizeof *c->states);
	c->slots = calloc(slots, sizeof *c->slots);
	for (uint32_t i = 0; c->nodes != NULL && i < LISTS; i++)
		node_link(c, list_end(i), list_end(i));
	if (c->nodes == NULL || c->states == NULL || c->slots == NULL ||
	    (ops->init != NULL && !ops->init(c, future))) {
		cache_free(c);
		return NULL;
	}
	return c;
}

void cache_free(struct cache *c)
{
	if (c == NULL)
		return;
	if (c->ops->free != NULL)
		c->ops->free(c);
	free(c->nodes);
	free(c->states);
	free(c->slots);
	free(c);
}

/* References */

void cache_refer(struct cache *c, const uint64_t *key, const uint8_t *how, size_t n,
		 uint8_t *result)
{
	c->ops->refer(c, key, how, n, result);
}

unsigned cache_refer_one(struct cache *c, uint64_t key, unsigned how, struct cache_victim *victim)
{
	const uint8_t bits = (uint8_t)how;
	uint8_t result;
	c->victim.entry = CACHE_NONE;
	c->ops->refer(c, &key, &bits, 1, &result);
	*victim = c->victim;
	return result;
}

uint32_t cache_find(const struct cache *c, uint64_t key)
{
	const uint32_t e = cache_lookup(c, key, cache_home(c, key));
	return e != 0 && !cache_is_ghost(c, e) ? e : CACHE_NONE;
}

void cache_preload(const struct cache *c, uint64_t key)
{
	__builtin_prefetch(&c->slots[cache_home(c, key)]);
}

unsigned cache_hit(struct cache *c, uint32_t entry)
{
	c->ops->hit(c, entry);
	return cache_use(c, entry);
}

uint32_t cache_insert(struct cache *c, uint64_t key, const struct cache_guard *guard,
		      struct cache_victim *victim)
{
	const uint32_t ghost =
	    c->ghosts != 0 ? cache_lookup(c, key, cache_home(c, key)) : CACHE_NONE;
	assert(ghost == 0 || cache_is_ghost(c, ghost));
	c->victim.entry = CACHE_NONE;
	const uint32_t e = c->ops->miss(c, key, ghost, guard);
	if (victim != NULL)
		*victim = c->victim;
	return e;
}

uint32_t cache_prefetch(struct cache *c, uint64_t key, const struct cache_guard *guard,
			struct cache_victim *victim)
{
	const uint32_t e = cache_insert(c, key, guard, victim);
	if (e != CACHE_NONE) {
		c->states[e].prefetched = 1;
		c->counts.prefetched++;
	}
	return e;
}

void cache_write(struct cache *c, uint32_t entry)
{
	cache_mark(c, entry, CACHE_WRITE);
}

void cache_remove(struct cache *c, uint32_t entry)
{
	c->counts.dirty -= c->states[entry].dirty;
	c->counts.prefetch_wasted += c->states[entry].prefetched;
	if (c->ops->remove != NULL)
		c->ops->remove(c, entry);
	else
		list_unlink(c, entry);
	c->resident--;
	cache_release(c, entry);
}

/* Ranges */

static bool is_resident(const struct cache *c, uint32_t e)
{
	return c->states[e].list != LIST_FREE && !cache_is_ghost(c, e);
}

/* Looks up each key of a short range, and examines all nodes for a long one. */
void cache_visit(struct cache *c, uint64_t first, uint64_t last,
		 void (*fn)(void *context, struct cache *c, uint32_t entry), void *context)
{
	if (first > last)
		return;
	if (last - first < c->used)
		for (uint64_t key = first; c->resident > 0; key++) {
			const uint32_t e = cache_find(c, key);
			if (e != CACHE_NONE)
				fn(context, c, e);
			if (key == last)
				break;
		}
	else
		for (uint32_t e = NODE_FIRST; e < c->used; e++)
			if (c->nodes[e].key >= first && c->nodes[e].key <= last &&
			    is_resident(c, e))
				fn(context, c, e);
}

static void drop_entry(void *context, struct cache *c, uint32_t entry)
{
	(void)context;
	c->counts.dropped++;
	c->counts.cancelled_writes += c->states[entry].dirty;
	cache_remove(c, entry);
}

void cache_drop(struct cache *c, uint64_t first, uint64_t last)
{
	cache_visit(c, first, last, drop_entry, NULL);
}

static void clean_entry(void *context, struct cache *c, uint32_t entry)
{
	uint64_t *cleaned = context;
	*cleaned += c->states[entry].dirty;
	cache_set_dirty(c, entry, false);
}

uint64_t cache_clean(struct cache *c, uint64_t first, uint64_t last)
{
	uint64_t cleaned = 0;
	if (c->counts.dirty > 0)
		cache_visit(c, first, last, clean_entry, &cleaned);
	c->counts.cleaned += cleaned;
	return cleaned;
}

/* State */

uint64_t cache_key(const struct cache *c, uint32_t entry)
{
	return c->nodes[entry].key;
}

bool cache_is_dirty(const struct cache *c, uint32_t entry)
{
	return c->states[entry].dirty != 0;
}

void cache_set_dirty(struct cache *c, uint32_t entry, bool dirty)
{
	c->counts.dirty += dirty;
	c->counts.dirty -= c->states[entry].dirty;
	c->states[entry].dirty = dirty;
}

size_t cache_entries_max(const struct cache *c)
{
	return c->ops->nodes(c->capacity) + NODE_FIRST;
}

uint64_t cache_capacity(const struct cache *c)
{
	return c->capacity;
}

uint64_t cache_resident(const struct cache *c)
{
	return c->resident;
}

const struct cache_counts *cache_counts(const struct cache *c)
{
	return &c->counts;
}
