/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * LRU stack distances (Mattson 1970). The distance of a reference is the number of distinct keys
 * since and including the last reference to the same key: an LRU cache of that many blocks, or
 * more, hits.
 *
 * Each reference has a slot. A slot is set if it is the last one of its key, so that a distance is
 * the number of set slots from the last one on. Sums over 512 and over 32,768 slots make that fast.
 * A key that was dropped leaves a hole, because its place in a cache is free: the slot stays set,
 * until the next reference that reaches beyond it fills it.
 */
#ifndef LIB_SIMULATE_DISTANCES_H
#define LIB_SIMULATE_DISTANCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "key_tails.h"
#include "lib/base/idmap.h"

/* Initialize to zero. */
struct distances {
	struct idmap keys;
	bool keeps_dropped; /* keys, so that each has the same number always */
	uint32_t *slot;     /* of each number, from 1 on; 0: none */
	size_t slot_capacity;
	uint64_t *bits;
	uint16_t *small;   /* set slots of each 512 */
	uint32_t *large;   /* ... of each 32,768 */
	size_t slots, now; /* capacity; the next slot */
	size_t set;        /* slots */
	uint32_t *holes;   /* a heap, the newest first */
	size_t hole_count, hole_capacity;
	uint32_t *marks; /* of the caller: values of `now`, which compaction updates */
	size_t mark_count;
	struct key_tails tails; /* used from the first drop of a range larger than the keys on */
};

#define DISTANCE_NONE   UINT64_MAX       /* of the first reference to a key */
#define DISTANCE_FAILED (UINT64_MAX - 1) /* out of memory */

uint64_t distances_refer(struct distances *d, uint64_t key);
/* The distances of n references, in turn. Returns false if out of memory. */
bool distances_refer_all(struct distances *d, const uint64_t *key, size_t n, uint64_t *distance);
/* The number of keys with a reference since a mark was set. */
uint64_t distances_since(const struct distances *d, uint32_t mark);
/* Forgets a key, as if it had never been referenced. */
void distances_forget(struct distances *d, uint64_t key);
/*
 * Drops the keys of [first, last] from all caches: one key, or the last ones of an object, of which
 * none is larger. Returns false if out of memory.
 */
bool distances_drop(struct distances *d, uint64_t first, uint64_t last);
void distances_free(struct distances *d);
/* Returns the memory in bytes, also while it grows. */
uint64_t distances_bytes(const struct distances *d);

static inline void distances_prefetch(const struct distances *d, uint64_t key)
{
	idmap_prefetch(&d->keys, key);
}

#endif
