/* SPDX-License-Identifier: BSD-2-Clause */
/* The files with several links that have been seen: 16 bytes each, at max half full. */
#ifndef CLI_FSSTATS_LINK_SET_H
#define CLI_FSSTATS_LINK_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct link_key {
	uint64_t device, inode; /* device: not 0 */
};

/* All zeros: empty. */
struct link_set {
	struct link_key *slot;
	size_t capacity, count; /* capacity: a power of two, or 0 */
};

/* Adds a file. *is_new: whether it was not in the set. Returns false if out of memory. */
bool link_set_add(struct link_set *s, struct link_key key, bool *is_new);
void link_set_free(struct link_set *s);

#endif
