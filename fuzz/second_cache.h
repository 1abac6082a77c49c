/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A second, slow implementation of all replacement policies, from the rules of iotrace-simulate(1)
 * and without code of lib/simulate: queues are arrays that are searched from one end to the other.
 */
#ifndef SECOND_CACHE_H
#define SECOND_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SECOND_CAPACITY_MAX = 256, SECOND_QUEUE_MAX = 2 * SECOND_CAPACITY_MAX + 1 };
enum { SECOND_SKETCH_ROWS = 4 };

struct second_item {
	uint64_t key;
	uint64_t count; /* or bit, or whether the block is LIR */
	uint64_t time; /* lfu: of the count; lirs: of the eviction, 0: none; opt: of the next use */
};

/* From the old end to the new end. */
struct second_queue {
	struct second_item item[SECOND_QUEUE_MAX];
	size_t n;
};

struct second_cache {
	size_t policy; /* index in the list of names */
	size_t capacity, hand;
	struct second_queue q[4];
	double p;
	uint64_t time, evictions;
	unsigned char sketch[SECOND_SKETCH_ROWS][4 * SECOND_CAPACITY_MAX];
	size_t width, added;
};

/* capacity: 1 .. SECOND_CAPACITY_MAX. Returns NULL if the name is unknown or memory is lacking. */
struct second_cache *second_cache_new(const char *policy, size_t capacity);
/* next: opt: when the key is referenced next; UINT64_MAX: never. Returns whether it is a hit. */
bool second_cache_refer(struct second_cache *c, uint64_t key, uint64_t next);
/* Returns whether the block of a key is in the cache. */
bool second_cache_has(const struct second_cache *c, uint64_t key);
/* The blocks of [first, last] leave the cache. */
void second_cache_drop(struct second_cache *c, uint64_t first, uint64_t last);
/* Returns the index of the next reference to key[i] after the i-th; n if there is none. */
size_t second_next(const uint64_t *key, size_t n, size_t i);
size_t second_cache_resident(const struct second_cache *c);

#endif
