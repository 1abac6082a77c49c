/* SPDX-License-Identifier: BSD-2-Clause */
#include "common.h"

#include <stdlib.h>

bool common_add_other(struct common *c, uint64_t value, uint64_t count)
{
	if (c->map.count == COMMON_MAX && idmap_find(&c->map, value) == SIZE_MAX) {
		c->other += count;
		return true;
	}
	const size_t i = idmap_number(&c->map, value);
	if (!array_reserve_index(&c->counts, &c->capacity, i, sizeof *c->counts))
		return false;
	c->counts[i] += count;
	c->cache[common_cached(value)] = (uint16_t)(i + 1);
	return true;
}

static bool precedes(struct common_value a, struct common_value b)
{
	return a.count != b.count ? a.count > b.count : a.value < b.value;
}

size_t common_top(const struct common *c, struct common_value top[COMMON_TOP])
{
	size_t used = 0;
	for (size_t i = 0; i < c->map.count; i++) {
		const struct common_value v = {c->map.keys[i], c->counts[i]};
		size_t at = used;
		for (; at > 0 && precedes(v, top[at - 1]); at--)
			if (at < COMMON_TOP)
				top[at] = top[at - 1];
		if (at < COMMON_TOP)
			top[at] = v;
		used += used < COMMON_TOP;
	}
	return used;
}

void common_free(struct common *c)
{
	idmap_free(&c->map);
	free(c->counts);
}
