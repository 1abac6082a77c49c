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

/* Values that `more` did not count may be ones that c counts. */
bool common_join(struct common *c, const struct common *more)
{
	for (size_t i = 0; i < more->map.count; i++)
		if (!common_add(c, more->map.keys[i], more->counts[i]))
			return false;
	c->other += more->other;
	return true;
}

/* Unsigned, after `flip` of the values: that of the sign makes order of signed numbers the same. */
static bool precedes(struct common_value a, struct common_value b, uint64_t flip)
{
	return a.count != b.count ? a.count > b.count : (a.value ^ flip) < (b.value ^ flip);
}

size_t common_top(const struct common *c, bool is_signed, struct common_value top[COMMON_TOP])
{
	const uint64_t flip = is_signed ? (uint64_t)1 << 63 : 0;
	size_t used = 0;
	for (size_t i = 0; i < c->map.count; i++) {
		const struct common_value v = {c->map.keys[i], c->counts[i]};
		size_t at = used;
		for (; at > 0 && precedes(v, top[at - 1], flip); at--)
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
