/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The largest keys of each object: a heap of its keys. A truncate drops those from a block on, so
 * its cost depends on the keys that it drops, however far apart these are.
 *
 * Its owner adds each key that becomes present, from the first use on; keys that it removed in
 * another way may come back from key_tails_take.
 */
#ifndef LIB_SIMULATE_KEY_TAILS_H
#define LIB_SIMULATE_KEY_TAILS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/idmap.h"

/* Initialize to zero. */
struct key_tails {
	bool used; /* by the owner */
	struct idmap objects;
	struct key_heap {
		uint64_t *key;
		size_t count, capacity;
	} * heap; /* of each object, by number */
	size_t capacity;
	size_t bytes; /* of the keys of all heaps */
};

/* Returns false if out of memory. */
bool key_tails_add(struct key_tails *t, uint64_t key);
/*
 * Removes the largest key of the object of `first` if it is not less. Returns false if there is
 * none.
 */
bool key_tails_take(struct key_tails *t, uint64_t first, uint64_t *key);
uint64_t key_tails_bytes(const struct key_tails *t);
void key_tails_free(struct key_tails *t);

#endif
