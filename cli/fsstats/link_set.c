/* SPDX-License-Identifier: BSD-2-Clause */
#include "link_set.h"

#include <stdlib.h>

enum { CAPACITY_FIRST = 1024 };

static size_t slot_of(const struct link_set *s, struct link_key key)
{
	const uint64_t mixed = (key.inode ^ key.device << 40) * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = (size_t)(mixed >> 20) & (s->capacity - 1);
	while (s->slot[i].device != 0 &&
	       (s->slot[i].device != key.device || s->slot[i].inode != key.inode))
		i = (i + 1) & (s->capacity - 1);
	return i;
}

static bool grow(struct link_set *s)
{
	struct link_set larger = {NULL, s->capacity == 0 ? CAPACITY_FIRST : 2 * s->capacity,
				  s->count};
	larger.slot = calloc(larger.capacity, sizeof *larger.slot);
	if (larger.slot == NULL)
		return false;
	for (size_t i = 0; i < s->capacity; i++)
		if (s->slot[i].device != 0)
			larger.slot[slot_of(&larger, s->slot[i])] = s->slot[i];
	free(s->slot);
	*s = larger;
	return true;
}

bool link_set_add(struct link_set *s, struct link_key key, bool *is_new)
{
	if (2 * s->count >= s->capacity && !grow(s))
		return false;
	const size_t i = slot_of(s, key);
	*is_new = s->slot[i].device == 0;
	if (*is_new) {
		s->slot[i] = key;
		s->count++;
	}
	return true;
}

void link_set_free(struct link_set *s)
{
	free(s->slot);
	*s = (struct link_set){NULL, 0, 0};
}
