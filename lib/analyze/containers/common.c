/* SPDX-License-Identifier: BSD-2-Clause */
#include "common.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL_VALUES = 1024, SMALL_LEVEL = 10 };

static unsigned zero_bits(uint64_t v)
{
	return v == 0 ? 64 : (unsigned)__builtin_ctzll(v);
}

static uint64_t mix(uint64_t v)
{
	v = (v ^ v >> 32) * 0x9e3779b97f4a7c15U;
	v = (v ^ v >> 29) * 0xbf58476d1ce4e5b9U;
	return v ^ v >> 32;
}

bool common_keeps(unsigned level, uint64_t value)
{
	const unsigned round = zero_bits(value);
	const unsigned preferred =
	    value < SMALL_VALUES && round < SMALL_LEVEL ? SMALL_LEVEL : round;
	return zero_bits(mix(value)) + preferred >= level;
}

/* Moves the counts of values below the level of the table to `other`. */
static void drop_values(struct common *c)
{
	uint64_t *keys = c->map.keys;
	const size_t count = c->map.count;
	size_t kept = 0;
	for (size_t i = 0; i < count; i++) {
		if (!common_keeps(c->level, keys[i])) {
			c->other += c->counts[i];
			continue;
		}
		keys[kept] = keys[i];
		c->counts[kept++] = c->counts[i];
	}
	for (size_t i = kept; i < count; i++)
		c->counts[i] = 0;
	idmap_renumber(&c->map, kept);
	memset(c->cache, 0, sizeof c->cache);
}

/* Raises the level to at least `level`, until the values are within the limit. */
static void limit(struct common *c, unsigned level)
{
	while (c->level < level || c->map.count > COMMON_MAX) {
		c->level++;
		drop_values(c);
	}
}

bool common_add_other(struct common *c, uint64_t value, uint64_t count)
{
	if (c->level > 0 && !common_keeps(c->level, value)) {
		c->other += count;
		return true;
	}
	const size_t i = idmap_number(&c->map, value);
	if (!array_reserve_index(&c->counts, &c->capacity, i, sizeof *c->counts))
		return false;
	c->counts[i] += count;
	c->cache[common_cached(value)] = (uint16_t)(i + 1);
	limit(c, 0);
	return true;
}

bool common_join(struct common *c, const struct common *more)
{
	limit(c, more->level);
	for (size_t i = 0; i < more->map.count; i++)
		if (!common_add(c, more->map.keys[i], more->counts[i]))
			return false;
	c->other += more->other;
	return true;
}

/*
 * Unsigned, after `flip` of the values: a flipped sign makes the order of signed numbers the same.
 */
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
