/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers keys in the order of their first use: 0, 1, 2, ... Callers keep the data that belongs to
 * a number, in an array with array_reserve_index().
 */
#ifndef LIB_BASE_IDMAP_H
#define LIB_BASE_IDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "array.h"

#define IDMAP_MAX ((size_t)1 << 27) /* keys */

struct idmap {
	uint64_t *keys;         /* indexed by number; of a free number, the next free number + 1 */
	uint32_t *slots;        /* number + 1 and bits of the hash, by hash; 0 if free */
	size_t count, capacity; /* numbers ever assigned, free ones included */
	uint64_t free;          /* the number removed last, + 1; 0 if none is free */
	uint64_t seed;
	/* the last key looked up, cached because it is usually looked up again */
	uint64_t last_key;
	size_t last; /* its number + 1; 0 if none */
};

/* The slow path of idmap_number, for a key other than the last one. */
size_t idmap_number_of_next(struct idmap *m, uint64_t key);

/*
 * Returns the number of a key, a new one for a new key; SIZE_MAX if out of memory. Start with {0}.
 */
static inline size_t idmap_number(struct idmap *m, uint64_t key)
{
	return m->last != 0 && m->last_key == key ? m->last - 1 : idmap_number_of_next(m, key);
}

/* Loads the memory of a key that will be looked up soon, while other keys are. */
void idmap_prefetch(const struct idmap *m, uint64_t key);
/* As idmap_prefetch, which has been called for the same key, for the memory that is read next. */
void idmap_prefetch_found(const struct idmap *m, uint64_t key);
/* Returns the number of a known key; SIZE_MAX if the key is unknown. */
size_t idmap_find(const struct idmap *m, uint64_t key);
/*
 * Removes a key and returns its number, which the next new key gets; SIZE_MAX if the key is
 * unknown. The caller clears the data of that number.
 */
size_t idmap_remove(struct idmap *m, uint64_t key);
/*
 * Gives new numbers to the keys that a caller keeps: it has moved them to keys[0, count). No number
 * may be free.
 */
void idmap_renumber(struct idmap *m, size_t count);
void idmap_free(struct idmap *m);

/* Returns the memory of the map in bytes, for owners that limit theirs. */
static inline size_t idmap_bytes(const struct idmap *m)
{
	return m->capacity * (sizeof *m->keys + 2 * sizeof *m->slots);
}

/* Combines two 32-bit numbers into one key. */
static inline uint64_t idmap_pair(uint32_t high, uint32_t low)
{
	return (uint64_t)high << 32 | low;
}

#endif
