/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A simulated cache of blocks with a replacement policy. It holds keys, no data. A block is named
 * by a key: 24 bits of object number and 40 bits of block number. Resident blocks have entries,
 * small numbers that stay the same while the block is resident: callers keep what they know of a
 * block in an array with cache_entries_max() elements.
 *
 * cache_refer() simulates many references at once. The other functions do the same step by step,
 * for callers that decide between the steps:
 *
 *	uint32_t entry = cache_find(c, key);
 *	if (entry != CACHE_NONE)
 *		cache_hit(c, entry);
 *	else
 *		entry = cache_insert(c, key, &guard, &victim);
 *
 * Policies are deterministic; iotrace-simulate(1) defines them.
 */
#ifndef LIB_SIMULATE_CACHE_H
#define LIB_SIMULATE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cache_policy {
	CACHE_LRU,
	CACHE_FIFO,
	CACHE_CLOCK,
	CACHE_LFU,
	CACHE_2Q,
	CACHE_ARC,
	CACHE_LIRS,
	CACHE_S3FIFO,
	CACHE_SIEVE,
	CACHE_WTINYLFU,
	CACHE_OPT, /* needs the references in advance */
	CACHE_POLICIES,
};

/* Returns the policy with this name, or CACHE_POLICIES if there is none. */
enum cache_policy cache_policy_find(const char *name, size_t size);
const char *cache_policy_name(enum cache_policy policy);

enum { CACHE_BLOCK_BITS = 40, CACHE_OBJECT_BITS = 24 };
enum { CACHE_CAPACITY_MAX = 1 << 26 }; /* blocks */
enum { CACHE_NONE = 0 };               /* no entry */

static inline uint64_t cache_key_of(uint32_t object, uint64_t block)
{
	return (uint64_t)object * (UINT64_C(1) << CACHE_BLOCK_BITS) | block;
}

struct cache;

/* All references in order, for CACHE_OPT. Both arrays must outlive the cache. */
struct cache_future {
	const uint64_t *key;
	/* index of the next reference to the same key; CACHE_NEVER if there is none */
	const uint32_t *next;
	size_t count; /* < CACHE_NEVER */
};

#define CACHE_NEVER UINT32_MAX

/* Returns the bytes that cache_new() allocates; future: the number of references, for OPT. */
uint64_t cache_bytes(enum cache_policy policy, uint64_t capacity, uint64_t future);
/*
 * capacity: 1 .. CACHE_CAPACITY_MAX blocks. future: NULL unless the policy is CACHE_OPT. Returns
 * NULL if out of memory.
 */
struct cache *cache_new(enum cache_policy policy, uint64_t capacity,
			const struct cache_future *future);
void cache_free(struct cache *c); /* NULL is ignored */

/* Many references */

/* Bits of a reference. */
enum cache_how {
	CACHE_WRITE = 0x01,       /* the block becomes dirty */
	CACHE_NO_ALLOCATE = 0x02, /* a miss inserts nothing */
	/* bits from here on are the caller's */
	CACHE_HOW_USER = 0x10,
};

/* Bits of the result of a reference. */
enum cache_result {
	CACHE_HIT = 0x01,
	CACHE_PREFETCHED = 0x02, /* the first reference to a prefetched block */
};

/* Refers to key[0..n) in order. how[i]: bits of enum cache_how; result[i]: of cache_result. */
void cache_refer(struct cache *c, const uint64_t *key, const uint8_t *how, size_t n,
		 uint8_t *result);

/* The block that an insertion evicted. The new block may have its entry. */
struct cache_victim {
	uint64_t key;
	uint32_t entry; /* CACHE_NONE: nothing was evicted */
	bool dirty, prefetched;
};

/* Makes one reference and returns its result; victim must not be NULL. */
unsigned cache_refer_one(struct cache *c, uint64_t key, unsigned how, struct cache_victim *victim);

/* Single steps; not for CACHE_OPT */

/*
 * Blocks that must stay, such as those with I/O in flight: evictable returns false for their
 * entries. It must not change the cache.
 */
struct cache_guard {
	bool (*evictable)(void *context, uint32_t entry);
	void *context;
};

/* Returns the entry of a resident block, or CACHE_NONE. */
uint32_t cache_find(const struct cache *c, uint64_t key);
/* Loads the memory of a key that will be looked up soon, while other keys are. */
void cache_preload(const struct cache *c, uint64_t key);
/* A reference to a resident block. Returns bits of enum cache_result. */
unsigned cache_hit(struct cache *c, uint32_t entry);
/*
 * A reference to an absent block: evicts the policy's victim if the cache is full, then inserts the
 * block. guard and victim may be NULL. Returns the entry of the block; CACHE_NONE if the guard
 * admits no victim, in which case the same call can be repeated later.
 */
uint32_t cache_insert(struct cache *c, uint64_t key, const struct cache_guard *guard,
		      struct cache_victim *victim);
/* The same for a block that is prefetched: it counts as unused until its first reference. */
uint32_t cache_prefetch(struct cache *c, uint64_t key, const struct cache_guard *guard,
			struct cache_victim *victim);
/* Makes a resident block dirty, and counts a saved write if it was dirty already. */
void cache_write(struct cache *c, uint32_t entry);
/* Removes a resident block, as if it had never been in the cache. */
void cache_remove(struct cache *c, uint32_t entry);

/* Ranges of keys: truncate, unlink and fsync */

/* Calls fn for the entry of each resident block of [first, last]; fn may remove that entry. */
void cache_visit(struct cache *c, uint64_t first, uint64_t last,
		 void (*fn)(void *context, struct cache *c, uint32_t entry), void *context);
/* Removes the blocks of [first, last]; counts them, and dirty ones as cancelled. */
void cache_drop(struct cache *c, uint64_t first, uint64_t last);
/* Cleans the dirty blocks of [first, last]; returns their number. */
uint64_t cache_clean(struct cache *c, uint64_t first, uint64_t last);

/* State */

uint64_t cache_key(const struct cache *c, uint32_t entry);
bool cache_is_dirty(const struct cache *c, uint32_t entry);
void cache_set_dirty(struct cache *c, uint32_t entry, bool dirty);
/* Entries are smaller than this number. */
size_t cache_entries_max(const struct cache *c);
uint64_t cache_capacity(const struct cache *c);
uint64_t cache_resident(const struct cache *c); /* blocks */

struct cache_counts {
	uint64_t evictions;
	uint64_t dirty_evictions;  /* each is a write to the device */
	uint64_t saved_writes;     /* writes to blocks that were dirty already */
	uint64_t cleaned;          /* by cache_clean() */
	uint64_t dropped;          /* by cache_drop() */
	uint64_t cancelled_writes; /* dirty blocks among those */
	uint64_t dirty;            /* blocks that are dirty now */
	uint64_t prefetched, prefetch_used, prefetch_wasted;
};

const struct cache_counts *cache_counts(const struct cache *c);

#endif
