/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files with several links that have been seen, with the length of their shortest name, so that
 * results do not depend on which name is found first. A slot takes 16 bytes, and at most half of
 * the slots are used.
 */
#ifndef CLI_FSSTATS_LINK_SET_H
#define CLI_FSSTATS_LINK_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct link_key {
	uint64_t device; /* below 2^56 - 1 */
	uint64_t inode;
};

struct link_slot {
	uint64_t used; /* device + 1, shifted by 8, and the length of the name; 0: free */
	uint64_t inode;
};

/* All zeros: empty. */
struct link_set {
	struct link_slot *slot;
	size_t capacity, count; /* capacity: a power of two, or 0 */
};

/* Adds a name of a file. *is_new: the file was not in the set. Returns false if out of memory. */
bool link_set_add(struct link_set *s, struct link_key key, uint8_t name, bool *is_new);
void link_set_free(struct link_set *s);

static inline struct link_key link_slot_key(const struct link_slot *slot)
{
	return (struct link_key){(slot->used >> 8) - 1, slot->inode};
}

static inline uint8_t link_slot_name(const struct link_slot *slot)
{
	return (uint8_t)slot->used;
}

#endif
