/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ARC (Megiddo and Modha 2003, figure 4): T1 has blocks referenced once, T2 those referenced again,
 * B1 and B2 the ghosts of both. A hit in a ghost list moves the target size p of T1.
 */
#include <stdlib.h>

#include "cache_internal.h"

enum { T1, T2, B1, B2 };

static uint64_t arc_nodes(uint64_t capacity)
{
	return 2 * capacity;
}

static uint64_t arc_bytes(uint64_t capacity, uint64_t future)
{
	(void)capacity;
	(void)future;
	return sizeof(double);
}

static bool arc_init(struct cache *c, const struct cache_future *future)
{
	(void)future;
	c->ghosts = 1 << B1 | 1 << B2;
	c->state = calloc(1, sizeof(double));
	return c->state != NULL;
}

static void arc_free(struct cache *c)
{
	free(c->state);
}

ALWAYS_INLINE void arc_hit(struct cache *c, uint32_t e)
{
	if (c->states[e].list == T2)
		list_renew(c, T2, e);
	else {
		list_unlink(c, e);
		list_push(c, T2, e);
	}
}

/*
 * Evicts a block to its ghost list, unless a block is free. Returns false if the guard admits none.
 */
ALWAYS_INLINE bool arc_replace(struct cache *c, double p, bool in_b2,
			       const struct cache_guard *guard)
{
	if (c->resident < c->capacity)
		return true;
	const double t1 = c->size[T1];
	const bool first = (t1 > 0 && (t1 > p || (in_b2 && t1 == p))) || c->size[T2] == 0;
	uint32_t e = list_oldest(c, first ? T1 : T2, guard);
	if (e == 0)
		e = list_oldest(c, first ? T2 : T1, guard);
	if (e == 0)
		return false;
	cache_evict_to_ghost(c, e, c->states[e].list == T1 ? B1 : B2, UINT32_MAX);
	return true;
}

static void arc_forget(struct cache *c, unsigned list)
{
	const uint32_t e = list_oldest(c, list, NULL);
	cache_load_next(c, e);
	list_unlink(c, e);
	cache_release(c, e);
}

/* The target after a hit in a ghost list, of which `own` and `other` are the sizes. */
ALWAYS_INLINE double arc_step(double own, double other)
{
	return other > own ? other / own : 1;
}

ALWAYS_INLINE double arc_target(const struct cache *c, double p, bool in_b2)
{
	const double b1 = c->size[B1], b2 = c->size[B2], capacity = c->capacity;
	const double target = in_b2 ? p - arc_step(b2, b1) : p + arc_step(b1, b2);
	return target < 0 ? 0 : target > capacity ? capacity : target;
}

/* A reference to a ghost: cases II and III. */
ALWAYS_INLINE uint32_t arc_ghost_hit(struct cache *c, uint32_t e, const struct cache_guard *guard)
{
	double *p = c->state;
	const bool in_b2 = c->states[e].list == B2;
	const double target = arc_target(c, *p, in_b2);
	const uint32_t before = c->nodes[e].prev;
	list_unlink(c, e);
	if (!arc_replace(c, target, in_b2, guard)) {
		list_insert_after(c, in_b2 ? B2 : B1, before, e);
		return CACHE_NONE;
	}
	*p = target;
	cache_revive(c, e);
	list_push(c, T2, e);
	return e;
}

/* Case IV, before the insertion. */
ALWAYS_INLINE bool arc_make_space(struct cache *c, const struct cache_guard *guard)
{
	const double p = *(double *)c->state;
	const uint32_t l1 = c->size[T1] + c->size[B1], l2 = c->size[T2] + c->size[B2];
	if (l1 == c->capacity && c->size[T1] == c->capacity) {
		const uint32_t e = list_oldest(c, T1, guard);
		if (e != 0)
			cache_evict(c, e);
		return e != 0;
	}
	if (!arc_replace(c, p, false, guard))
		return false;
	if (l1 == c->capacity)
		arc_forget(c, B1);
	else if (l1 + l2 == 2 * c->capacity)
		arc_forget(c, B2);
	return true;
}

ALWAYS_INLINE uint32_t arc_miss(struct cache *c, uint64_t key, uint32_t ghost,
				const struct cache_guard *guard)
{
	if (ghost != 0)
		return arc_ghost_hit(c, ghost, guard);
	if (!arc_make_space(c, guard))
		return CACHE_NONE;
	const uint32_t e = cache_take(c, key);
	list_push(c, T1, e);
	return e;
}

POLICY_REFER(arc)

const struct cache_ops cache_arc = {.name = "arc",
				    .nodes = arc_nodes,
				    .bytes = arc_bytes,
				    .init = arc_init,
				    .free = arc_free,
				    POLICY_REFERS(arc)};
