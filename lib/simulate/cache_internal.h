/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The entry store that all policies share: nodes of 16 bytes in up to four lists, a byte of state
 * for each, and a hash table of node numbers. A policy is a set of functions on them; POLICY_OPS
 * compiles the loop over many references for each policy, so that a reference calls nothing through
 * a pointer.
 *
 * A slot of the table holds a node number and, in its highest four bits, the distance from the slot
 * that the hash selects. Most probes of other keys end at the distance, without access to the node,
 * and a deletion can shift later slots backward without hashing their keys again.
 */
#ifndef LIB_SIMULATE_CACHE_INTERNAL_H
#define LIB_SIMULATE_CACHE_INTERNAL_H

#include "cache.h"

enum {
	NODE_BITS = 28,
	NODE_MASK = (1 << NODE_BITS) - 1,
	DISTANCE_MAX = 15, /* stands for larger distances, too */
	LISTS = 4,
	LIST_FREE = 7,          /* of nodes that are in no list */
	NODE_FIRST = LISTS + 1, /* node 0 is none, nodes 1 .. LISTS are the ends of the lists */
	PREFETCH_SLOT = 16,     /* references ahead whose slot is loaded */
	PREFETCH_NODE = 8,      /* ... whose node is loaded */
};

struct cache_node {
	uint64_t key;
	uint32_t prev, next;
};

/* Apart from the nodes, so that links to a node are stored without access to what it contains. */
struct cache_state {
	uint8_t list : 3, count : 2, dirty : 1, prefetched : 1;
};

struct cache_ops;

struct cache {
	struct cache_node *nodes;
	struct cache_state *states; /* of each node */
	uint32_t *slots;
	uint64_t factor; /* of the hash */
	unsigned shift;  /* 64 - log2(slots) */
	uint32_t mask;   /* slots - 1 */
	uint32_t capacity, resident;
	uint32_t used, free; /* nodes used so far; the first free one, linked by next */
	uint32_t size[LISTS];
	uint8_t ghosts; /* bits of the lists of ghosts: of keys without a block */
	struct cache_counts counts;
	struct cache_victim victim; /* of the last eviction */
	const struct cache_ops *ops;
	void *state;       /* of the policy; NULL: none */
	uint32_t limit[2]; /* sizes of lists, as the policy defines them */
	uint32_t hand;
	uint32_t turn; /* of the reference, in arrays of PREFETCH_SLOT elements that a policy has */
};

/* What a policy consists of; see iotrace-simulate(1) for the rules. */
struct cache_ops {
	const char *name;
	bool is_dense; /* less memory for the table, and longer searches */
	/* The number of nodes, ghosts included. */
	uint64_t (*nodes)(uint64_t capacity);
	/* Bytes of further memory; NULL: none. */
	uint64_t (*bytes)(uint64_t capacity, uint64_t future);
	bool (*init)(struct cache *c, const struct cache_future *future); /* NULL: nothing to do */
	void (*free)(struct cache *c);                                    /* NULL: nothing to do */
	void (*refer)(struct cache *c, const uint64_t *key, const uint8_t *how, size_t n,
		      uint8_t *result);
	void (*hit)(struct cache *c, uint32_t e);
	uint32_t (*miss)(struct cache *c, uint64_t key, uint32_t ghost,
			 const struct cache_guard *guard);
	/* Takes a resident block out of the policy's lists; NULL: it is in one list only. */
	void (*remove)(struct cache *c, uint32_t e);
};

extern const struct cache_ops cache_lru, cache_fifo, cache_clock, cache_lfu, cache_2q, cache_arc,
    cache_lirs, cache_s3fifo, cache_sieve, cache_wtinylfu, cache_opt;

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Hash table */

ALWAYS_INLINE uint64_t cache_hash(const struct cache *c, uint64_t key)
{
	const uint64_t h = key * c->factor;
	return (h ^ h >> 32) * c->factor;
}

ALWAYS_INLINE uint32_t cache_home(const struct cache *c, uint64_t key)
{
	return (uint32_t)(cache_hash(c, key) >> c->shift);
}

ALWAYS_INLINE uint32_t slot_distance(uint32_t distance)
{
	return (distance < DISTANCE_MAX ? distance : DISTANCE_MAX) << NODE_BITS;
}

/* Returns the node of a key, which may be a ghost; 0 if the key is unknown. */
ALWAYS_INLINE uint32_t cache_lookup(const struct cache *c, uint64_t key, uint32_t home)
{
	for (uint32_t d = 0;; d++) {
		const uint32_t slot = c->slots[(home + d) & c->mask];
		if (slot == 0)
			return 0;
		if ((slot & ~(uint32_t)NODE_MASK) == slot_distance(d) &&
		    c->nodes[slot & NODE_MASK].key == key)
			return slot & NODE_MASK;
	}
}

void cache_unhash(struct cache *c, uint32_t e);

/* Lists, from the oldest to the newest */

ALWAYS_INLINE uint32_t list_end(unsigned list)
{
	return list + 1;
}

ALWAYS_INLINE void node_link(struct cache *c, uint32_t a, uint32_t b)
{
	c->nodes[a].next = b;
	c->nodes[b].prev = a;
}

ALWAYS_INLINE void list_unlink(struct cache *c, uint32_t e)
{
	c->size[c->states[e].list & (LISTS - 1)]--;
	node_link(c, c->nodes[e].prev, c->nodes[e].next);
}

/* For callers that know the list, so that the state is not read. */
ALWAYS_INLINE void list_unlink_from(struct cache *c, unsigned list, uint32_t e)
{
	c->size[list]--;
	node_link(c, c->nodes[e].prev, c->nodes[e].next);
}

ALWAYS_INLINE void list_insert_after(struct cache *c, unsigned list, uint32_t before, uint32_t e)
{
	const uint32_t after = c->nodes[before].next;
	node_link(c, before, e);
	node_link(c, e, after);
	c->states[e].list = list & 7U;
	c->size[list]++;
}

/* Appends to the new end. */
ALWAYS_INLINE void list_push(struct cache *c, unsigned list, uint32_t e)
{
	list_insert_after(c, list, c->nodes[list_end(list)].prev, e);
}

ALWAYS_INLINE void list_renew(struct cache *c, unsigned list, uint32_t e)
{
	if (c->nodes[list_end(list)].prev == e)
		return;
	node_link(c, c->nodes[e].prev, c->nodes[e].next);
	node_link(c, c->nodes[list_end(list)].prev, e);
	node_link(c, e, list_end(list));
}

ALWAYS_INLINE bool evictable(const struct cache_guard *guard, uint32_t e)
{
	return guard == NULL || guard->evictable(guard->context, e);
}

/* The oldest node from e on that the guard admits; 0 if there is none. */
ALWAYS_INLINE uint32_t list_evictable(const struct cache *c, unsigned list, uint32_t e,
				      const struct cache_guard *guard)
{
	while (e != list_end(list) && !evictable(guard, e))
		e = c->nodes[e].next;
	return e != list_end(list) ? e : 0;
}

/* The oldest node that the guard admits; 0 if there is none. */
ALWAYS_INLINE uint32_t list_oldest(const struct cache *c, unsigned list,
				   const struct cache_guard *guard)
{
	return list_evictable(c, list, c->nodes[list_end(list)].next, guard);
}

/*
 * Renews a node that the guard admits, and returns the next one: older nodes are not examined
 * again.
 */
ALWAYS_INLINE uint32_t list_spare(struct cache *c, unsigned list, uint32_t e,
				  const struct cache_guard *guard)
{
	const uint32_t next = c->nodes[e].next;
	list_renew(c, list, e);
	return list_evictable(c, list, next != list_end(list) ? next : e, guard);
}

/* Blocks */

ALWAYS_INLINE bool cache_is_ghost(const struct cache *c, uint32_t e)
{
	return c->ghosts != 0 && (c->ghosts >> c->states[e].list & 1) != 0;
}

/* A new resident node for a key, in no list. */
ALWAYS_INLINE uint32_t cache_take(struct cache *c, uint64_t key)
{
	uint32_t e = c->free, d = 0;
	if (e != 0)
		c->free = c->nodes[e].next;
	else
		e = c->used++;
	const uint32_t home = cache_home(c, key);
	while (c->slots[(home + d) & c->mask] != 0)
		d++;
	c->slots[(home + d) & c->mask] = e | slot_distance(d);
	c->nodes[e].key = key;
	c->states[e] = (struct cache_state){.list = LIST_FREE};
	c->resident++;
	return e;
}

/* Forgets a node that is in no list. */
ALWAYS_INLINE void cache_release(struct cache *c, uint32_t e)
{
	cache_unhash(c, e);
	c->states[e].list = LIST_FREE;
	c->nodes[e].next = c->free;
	c->free = e;
}

/* Counts the eviction of a block, which loses its data; its node stays in its list. */
ALWAYS_INLINE void cache_count_eviction(struct cache *c, uint32_t e)
{
	struct cache_state *s = &c->states[e];
	c->victim = (struct cache_victim){c->nodes[e].key, e, s->dirty, s->prefetched};
	c->counts.evictions++;
	c->resident--;
	if (!s->dirty && !s->prefetched)
		return;
	c->counts.dirty_evictions += s->dirty;
	c->counts.dirty -= s->dirty;
	c->counts.prefetch_wasted += s->prefetched;
	s->dirty = 0;
	s->prefetched = 0;
}

/* Loads what a removal of the next newer node, probably the next one to go, needs. */
ALWAYS_INLINE void cache_load_next(const struct cache *c, uint32_t e)
{
	const struct cache_node *next = &c->nodes[c->nodes[e].next];
	__builtin_prefetch(&c->slots[cache_home(c, next->key)]);
	__builtin_prefetch(&c->nodes[next->next]);
}

/* Evicts a block and forgets its key. */
ALWAYS_INLINE void cache_evict(struct cache *c, uint32_t e)
{
	cache_load_next(c, e);
	cache_count_eviction(c, e);
	list_unlink(c, e);
	cache_release(c, e);
}

/* Evicts a block; its key becomes the newest of a list of at most `limit` ghosts. */
ALWAYS_INLINE void cache_evict_to_ghost(struct cache *c, uint32_t e, unsigned list, uint32_t limit)
{
	if (limit == 0) {
		cache_evict(c, e);
		return;
	}
	if (c->size[list] == limit) {
		const uint32_t oldest = list_oldest(c, list, NULL);
		cache_load_next(c, oldest);
		list_unlink_from(c, list, oldest);
		cache_release(c, oldest);
	}
	__builtin_prefetch(&c->nodes[c->nodes[c->nodes[e].next].next]);
	cache_count_eviction(c, e);
	list_unlink(c, e);
	list_push(c, list, e);
}

/* Turns a ghost into a block that is in no list. */
ALWAYS_INLINE void cache_revive(struct cache *c, uint32_t e)
{
	c->states[e].count = 0;
	c->resident++;
}

/* References */

typedef void policy_hit_fn(struct cache *c, uint32_t e);
typedef uint32_t policy_miss_fn(struct cache *c, uint64_t key, uint32_t ghost,
				const struct cache_guard *guard);
/* Loads what the policy needs for the reference to a key, before its turn. NULL: nothing to do. */
typedef void policy_load_fn(struct cache *c, uint64_t key, uint32_t turn);

ALWAYS_INLINE void policy_load(struct cache *c, policy_load_fn *load, uint64_t key, size_t turn)
{
	if (load != NULL)
		load(c, key, (uint32_t)turn % PREFETCH_SLOT);
}

ALWAYS_INLINE void cache_mark(struct cache *c, uint32_t e, unsigned how)
{
	if (how & CACHE_WRITE) {
		struct cache_state *s = &c->states[e];
		c->counts.saved_writes += s->dirty;
		c->counts.dirty += !s->dirty;
		s->dirty = 1;
	}
}

/* The bits of the result of a hit. */
ALWAYS_INLINE unsigned cache_use(struct cache *c, uint32_t e)
{
	if (c->counts.prefetched == 0 || !c->states[e].prefetched)
		return CACHE_HIT;
	c->states[e].prefetched = 0;
	c->counts.prefetch_used++;
	return CACHE_HIT | CACHE_PREFETCHED;
}

ALWAYS_INLINE unsigned cache_refer_once(struct cache *c, uint64_t key, unsigned how, uint32_t home,
					policy_hit_fn *hit, policy_miss_fn *miss)
{
	uint32_t e = cache_lookup(c, key, home);
	if (e != 0 && !cache_is_ghost(c, e)) {
		hit(c, e);
		cache_mark(c, e, how);
		return cache_use(c, e);
	}
	if (!(how & CACHE_NO_ALLOCATE)) {
		e = miss(c, key, e, NULL);
		cache_mark(c, e, how);
	}
	return 0;
}

/*
 * The slot of a reference is loaded PREFETCH_SLOT references ahead, the node in that slot
 * PREFETCH_NODE ahead.
 */
ALWAYS_INLINE void cache_refer_all(struct cache *c, const uint64_t *key, const uint8_t *how,
				   size_t n, uint8_t *result, policy_hit_fn *hit,
				   policy_miss_fn *miss, policy_load_fn *load)
{
	uint32_t home[PREFETCH_SLOT];
	for (size_t i = 0; i < PREFETCH_SLOT && i < n; i++) {
		home[i] = cache_home(c, key[i]);
		__builtin_prefetch(&c->slots[home[i]]);
	}
	for (size_t i = 0; i < PREFETCH_NODE && i < n; i++)
		policy_load(c, load, key[i], i);
	for (size_t i = 0; i < n; i++) {
		const uint32_t at = home[i % PREFETCH_SLOT];
		if (i + PREFETCH_SLOT < n) {
			home[i % PREFETCH_SLOT] = cache_home(c, key[i + PREFETCH_SLOT]);
			__builtin_prefetch(&c->slots[home[i % PREFETCH_SLOT]]);
		}
		if (i + PREFETCH_NODE < n) {
			__builtin_prefetch(
			    &c->nodes[c->slots[home[(i + PREFETCH_NODE) % PREFETCH_SLOT]] &
				      NODE_MASK]);
			policy_load(c, load, key[i + PREFETCH_NODE], i + PREFETCH_NODE);
		}
		if (load != NULL)
			c->turn = (uint32_t)(i % PREFETCH_SLOT);
		result[i] = (uint8_t)cache_refer_once(c, key[i], how[i], at, hit, miss);
	}
}

/*
 * A miss of a policy with ghosts: inserts the block into `known` if it has a ghost, otherwise into
 * `fresh`. Returns CACHE_NONE, with the ghost where it was, if nothing can be evicted.
 */
ALWAYS_INLINE uint32_t policy_miss(struct cache *c, uint64_t key, uint32_t ghost,
				   const struct cache_guard *guard,
				   bool (*evict)(struct cache *, const struct cache_guard *),
				   unsigned ghosts, unsigned known, unsigned fresh)
{
	const uint32_t before = ghost != 0 ? c->nodes[ghost].prev : 0;
	if (ghost != 0)
		list_unlink_from(c, ghosts, ghost);
	if (c->resident == c->capacity && !evict(c, guard)) {
		if (ghost != 0)
			list_insert_after(c, ghosts, before, ghost);
		return CACHE_NONE;
	}
	if (ghost != 0)
		cache_revive(c, ghost);
	const uint32_t e = ghost != 0 ? ghost : cache_take(c, key);
	list_push(c, ghost != 0 ? known : fresh, e);
	return e;
}

#define POLICY_REFER_LOADING(NAME, LOAD)                                                           \
	static void NAME##_refer(struct cache *c, const uint64_t *key, const uint8_t *how,         \
				 size_t n, uint8_t *result)                                        \
	{                                                                                          \
		cache_refer_all(c, key, how, n, result, NAME##_hit, NAME##_miss, LOAD);            \
	}                                                                                          \
	static void NAME##_hit_once(struct cache *c, uint32_t e)                                   \
	{                                                                                          \
		policy_load(c, LOAD, c->nodes[e].key, c->turn);                                    \
		NAME##_hit(c, e);                                                                  \
	}                                                                                          \
	static uint32_t NAME##_miss_once(struct cache *c, uint64_t key, uint32_t ghost,            \
					 const struct cache_guard *guard)                          \
	{                                                                                          \
		policy_load(c, LOAD, key, c->turn);                                                \
		return NAME##_miss(c, key, ghost, guard);                                          \
	}

#define POLICY_REFER(NAME)  POLICY_REFER_LOADING(NAME, NULL)
#define POLICY_REFERS(NAME) .refer = NAME##_refer, .hit = NAME##_hit_once, .miss = NAME##_miss_once

/* For policies without ghosts. */
static inline uint64_t nodes_resident(uint64_t capacity)
{
	return capacity;
}

#endif
