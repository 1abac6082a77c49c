/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A set of blocks: a bit for each, in groups of 64 blocks with adjacent keys. The groups are in a
 * hash table with open addressing, so that a lookup reads one place in memory.
 */
#ifndef LIB_SIMULATE_BLOCK_SET_H
#define LIB_SIMULATE_BLOCK_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BLOCK_GROUP_BITS = 6, BLOCK_GROUP = 1 << BLOCK_GROUP_BITS };

struct block_group {
	uint64_t name;   /* the key of the first block / 64, + 1; 0: a free slot */
	uint64_t blocks; /* bits of those in the set */
};

struct block_set {
	struct block_group *slots; /* at least half of them are free */
	size_t mask, count;        /* slots - 1; groups */
	unsigned shift;            /* 64 - log2(slots) */
	uint64_t factor;           /* of the hash */
};

static inline size_t block_set_home(const struct block_set *s, uint64_t group)
{
	const uint64_t h = group * s->factor;
	return (size_t)((h ^ h >> 32) * s->factor >> s->shift);
}

/* Returns false if out of memory. */
bool block_set_init(struct block_set *s);
void block_set_free(struct block_set *s);
/* Doubles the table. Returns false if that needs more than `memory` bytes, or is out of memory. */
bool block_set_grow(struct block_set *s, uint64_t memory);

/*
 * Loads the memory of a group that will be looked up soon. Always inline, because gcc leaves out
 * calls of a function that does nothing else.
 */
static inline __attribute__((always_inline)) void block_set_prefetch(const struct block_set *s,
								     uint64_t group)
{
	__builtin_prefetch(&s->slots[block_set_home(s, group)], 1);
}

/*
 * Returns the blocks of a group, which is empty if it is new; NULL if block_set_grow() fails. The
 * pointer is valid until the next call.
 */
static inline uint64_t *block_set_group(struct block_set *s, uint64_t group, uint64_t memory)
{
	if (s->count > s->mask / 2 && !block_set_grow(s, memory))
		return NULL;
	size_t i = block_set_home(s, group);
	while (s->slots[i].name != group + 1 && s->slots[i].name != 0)
		i = (i + 1) & s->mask;
	s->count += s->slots[i].name == 0;
	s->slots[i].name = group + 1;
	return &s->slots[i].blocks;
}

#endif
