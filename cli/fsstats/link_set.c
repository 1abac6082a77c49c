/* SPDX-License-Identifier: BSD-2-Clause */
#include "link_set.h"

#include <stdlib.h>

enum { CAPACITY_FIRST = 1024 };

static size_t slot_of(const struct link_set *s, uint64_t used, uint64_t inode)
{
	const uint64_t mixed = (inode ^ used >> 8 << 40) * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = (size_t)(mixed >> 20) & (s->capacity - 1);
	while (s->slot[i].used != 0 &&
	       (s->slot[i].used >> 8 != used >> 8 || s->slot[i].inode != inode))
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
		if (s->slot[i].used != 0)
			larger.slot[slot_of(&larger, s->slot[i].used, s->slot[i].inode)] =
			    s->slot[i];
	free(s->slot);
	*s = larger;
	return true;
}

bool link_set_add(struct link_set *s, struct link_key key, uint8_t name, bool *is_new)
{
	const uint64_t used = (key.device + 1) << 8 | name;
	if (2 * s->count >= s->capacity && !grow(s))
		return false;
	struct link_slot *slot = &s->slot[slot_of(s, used, key.inode)];
	*is_new = slot->used == 0;
	s->count += *is_new;
	if (*is_new || used < slot->used)
		*slot = (struct link_slot){used, key.inode};
	return true;
}

void link_set_free(struct link_set *s)
{
	free(s->slot);
	*s = (struct link_set){NULL, 0, 0};
}
