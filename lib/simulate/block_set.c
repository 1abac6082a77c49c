/* SPDX-License-Identifier: BSD-2-Clause */
#include "block_set.h"

#include <stdlib.h>

#include "lib/base/hash.h"

enum { SLOTS_FIRST = 1 << 10 };

static bool allocate(struct block_set *s, size_t slots)
{
	s->slots = calloc(slots, sizeof *s->slots);
	s->mask = slots - 1;
	s->shift = 64 - (unsigned)__builtin_ctzll(slots);
	s->factor = hash_seed() | 1;
	return s->slots != NULL;
}

bool block_set_init(struct block_set *s)
{
	s->count = 0;
	return allocate(s, SLOTS_FIRST);
}

void block_set_free(struct block_set *s)
{
	free(s->slots);
	s->slots = NULL;
}

/* Slots of the old table are in a new place each, which would be a cache miss. */
bool block_set_grow(struct block_set *s, uint64_t memory)
{
	enum { AHEAD = 16 };
	const struct block_set old = *s;
	const size_t slots = old.mask + 1;
	if (3 * slots * sizeof *s->slots > memory)
		return false;
	if (!allocate(s, 2 * slots)) {
		*s = old;
		return false;
	}
	for (size_t i = 0; i < slots; i++) {
		const struct block_group *group = &old.slots[i];
		if (i + AHEAD < slots)
			block_set_prefetch(s, group[AHEAD].name - 1);
		if (group->name == 0)
			continue;
		size_t at = block_set_home(s, group->name - 1);
		while (s->slots[at].name != 0)
			at = (at + 1) & s->mask;
		s->slots[at] = *group;
	}
	free(old.slots);
	return true;
}
