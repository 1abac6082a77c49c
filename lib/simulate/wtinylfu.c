/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * W-TinyLFU: new blocks enter a small LRU window; the block that leaves it replaces the oldest one
 * of the main part only if a sketch has counted more references to it.
 */
#include <stdlib.h>

#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL /* four hashes for each reference */
#endif
#include <xxhash.h>

#include "cache_internal.h"

enum { WINDOW, PROBATION, PROTECTED };
enum { WINDOW_MAX, PROTECTED_MAX }; /* limits */
enum {
	ROWS = 4,
	COUNTERS = 4, /* in a row, for each block; fewer add up the references to too many keys */
	COUNTER_MAX = 15,
	PERIOD = 10 /* references for each block */
};

/* Counters of 4 bits, two in a byte. The rows of a column are adjacent: an access is two bytes. */
struct sketch {
	unsigned char *row[ROWS];
	uint64_t mask; /* counters in a row - 1 */
	uint64_t added, period;
	uint64_t column[PREFETCH_SLOT][ROWS]; /* of the keys of the next references */
};

static uint64_t sketch_width(uint64_t capacity)
{
	uint64_t width = 2;
	while (width < COUNTERS * capacity)
		width *= 2;
	return width;
}

static uint64_t wtinylfu_bytes(uint64_t capacity, uint64_t future)
{
	(void)future;
	return sizeof(struct sketch) + ROWS * sketch_width(capacity) / 2;
}

static void wtinylfu_free(struct cache *c)
{
	struct sketch *s = c->state;
	if (s == NULL)
		return;
	free(s->row[0]);
	free(s);
}

static bool wtinylfu_init(struct cache *c, const struct cache_future *future)
{
	struct sketch *s = c->state = calloc(1, sizeof *s);
	const uint64_t width = sketch_width(c->capacity);
	(void)future;
	if (s == NULL || (s->row[0] = calloc(ROWS, width / 2)) == NULL)
		return false;
	for (unsigned i = 1; i < ROWS; i++)
		s->row[i] = s->row[i - 1] + width / 2;
	s->mask = width - 1;
	s->period = (uint64_t)PERIOD * c->capacity;
	c->limit[WINDOW_MAX] = c->capacity >= 100 ? c->capacity / 100 : 1;
	c->limit[PROTECTED_MAX] =
	    (uint32_t)((uint64_t)(c->capacity - c->limit[WINDOW_MAX]) * 4 / 5);
	return true;
}

ALWAYS_INLINE uint64_t sketch_column(const struct sketch *s, unsigned row, uint64_t key)
{
	return XXH3_64bits_withSeed(&key, sizeof key, row) & s->mask;
}

ALWAYS_INLINE unsigned sketch_get(const struct sketch *s, unsigned row, uint64_t column)
{
	return s->row[row][column / 2] >> 4 * (column % 2) & COUNTER_MAX;
}

static unsigned sketch_estimate(const struct sketch *s, uint64_t key)
{
	unsigned min = COUNTER_MAX;
	for (unsigned i = 0; i < ROWS; i++) {
		const unsigned count = sketch_get(s, i, sketch_column(s, i, key));
		min = count < min ? count : min;
	}
	return min;
}

static void sketch_halve(struct sketch *s)
{
	for (uint64_t i = 0; i < ROWS * (s->mask + 1) / 2; i++)
		s->row[0][i] = s->row[0][i] >> 1 & 0x77;
	s->added = 0;
}

/* Increments only those counters of a key that equal its estimate; column: of its counters. */
ALWAYS_INLINE void sketch_add(struct sketch *s, const uint64_t *column)
{
	unsigned count[ROWS], min = COUNTER_MAX;
	for (unsigned i = 0; i < ROWS; i++) {
		count[i] = sketch_get(s, i, column[i]);
		min = count[i] < min ? count[i] : min;
	}
	for (unsigned i = 0; i < ROWS; i++) { /* nothing predicts which; so without a branch */
		const unsigned more = (count[i] == min) & (min < COUNTER_MAX);
		unsigned char *counters = &s->row[i][column[i] / 2];
		*counters = (unsigned char)(*counters + (more << 4 * (column[i] % 2)));
	}
	if (++s->added == s->period)
		sketch_halve(s);
}

ALWAYS_INLINE void wtinylfu_load(struct cache *c, uint64_t key, uint32_t turn)
{
	struct sketch *s = c->state;
	for (unsigned i = 0; i < ROWS; i++) {
		const uint64_t column = sketch_column(s, i, key);
		s->column[turn][i] = column;
		__builtin_prefetch(&s->row[i][column / 2]);
	}
}

ALWAYS_INLINE void wtinylfu_count(struct cache *c)
{
	struct sketch *s = c->state;
	sketch_add(s, s->column[c->turn]);
}

ALWAYS_INLINE void move_to(struct cache *c, unsigned list, uint32_t e)
{
	list_unlink(c, e);
	list_push(c, list, e);
}

ALWAYS_INLINE void wtinylfu_hit(struct cache *c, uint32_t e)
{
	wtinylfu_count(c);
	if (c->states[e].list != PROBATION) {
		list_renew(c, c->states[e].list, e);
		return;
	}
	move_to(c, PROTECTED, e);
	if (c->size[PROTECTED] > c->limit[PROTECTED_MAX])
		move_to(c, PROBATION, list_oldest(c, PROTECTED, NULL));
}

/* The oldest block of the window leaves it. Returns false if the guard admits no victim. */
ALWAYS_INLINE bool wtinylfu_overflow(struct cache *c, const struct cache_guard *guard)
{
	const uint32_t candidate = list_oldest(c, WINDOW, NULL);
	if (c->resident < c->capacity) {
		move_to(c, PROBATION, candidate);
		return true;
	}
	uint32_t victim = list_oldest(c, PROBATION, guard);
	if (victim == 0)
		victim = list_oldest(c, PROTECTED, guard);
	const bool admits = victim != 0 && sketch_estimate(c->state, c->nodes[candidate].key) >
					       sketch_estimate(c->state, c->nodes[victim].key);
	if (!admits && evictable(guard, candidate)) {
		cache_evict(c, candidate);
		return true;
	}
	if (victim == 0)
		return false;
	cache_evict(c, victim);
	move_to(c, PROBATION, candidate);
	return true;
}

ALWAYS_INLINE uint32_t wtinylfu_miss(struct cache *c, uint64_t key, uint32_t ghost,
				     const struct cache_guard *guard)
{
	(void)ghost;
	wtinylfu_count(c);
	if (c->size[WINDOW] == c->limit[WINDOW_MAX] && !wtinylfu_overflow(c, guard))
		return CACHE_NONE;
	const uint32_t e = cache_take(c, key);
	list_push(c, WINDOW, e);
	return e;
}

POLICY_REFER_LOADING(wtinylfu, wtinylfu_load)

const struct cache_ops cache_wtinylfu = {.name = "wtinylfu",
					 .nodes = nodes_resident,
					 .bytes = wtinylfu_bytes,
					 .init = wtinylfu_init,
					 .free = wtinylfu_free,
					 POLICY_REFERS(wtinylfu)};
