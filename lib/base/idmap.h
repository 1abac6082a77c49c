/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys numbered in the order in which they come: 0, 1, 2, ... What belongs to them, others keep. */
#ifndef LIB_BASE_IDMAP_H
#define LIB_BASE_IDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IDMAP_MAX ((size_t)1 << 27) /* keys */

struct idmap {
	uint64_t *keys;  /* by number */
	uint32_t *slots; /* number + 1, by hash; 0: free */
	size_t count, capacity;
	uint64_t seed;
	uint64_t last_key; /* asked for last: most often it is asked for again */
	size_t last;
};

size_t idmap_number_of_next(struct idmap *m, uint64_t key); /* than the last one */

/* The number of a key, a new one if it has not come before; SIZE_MAX: no memory. Start with {0}. */
static inline size_t idmap_number(struct idmap *m, uint64_t key)
{
	return m->count > 0 && m->last_key == key ? m->last : idmap_number_of_next(m, key);
}

/* The number of a key that has come before; SIZE_MAX: it has not. */
size_t idmap_find(const struct idmap *m, uint64_t key);
void idmap_free(struct idmap *m);

/* Two numbers of 32 bits as one key. */
static inline uint64_t idmap_pair(uint32_t high, uint32_t low)
{
	return (uint64_t)high << 32 | low;
}

/*
 * Makes room for element `number` in an array that grows with a map; new elements are zero. The
 * array, or NULL (and the old one stays).
 */
void *idmap_reserve(void *array, size_t *capacity, size_t number, size_t size);

#endif
