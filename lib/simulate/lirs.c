/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * LIRS (Jiang and Zhang 2002). Most blocks are LIR: the distance between their last two references
 * is short. The others, HIR, wait in the queue Q for their eviction. The stack S holds all LIR
 * blocks and whatever was referenced after the one at its bottom, ghosts included.
 *
 * A node's `list` is its state, and its links belong to S, whose bottom is the oldest. A second
 * pair of links belongs to Q for HIR blocks, and of the list of ghosts, in the order of eviction.
 */
#include <stdlib.h>

#include "cache_internal.h"

enum { LIR, HIR_IN_STACK, HIR_IN_QUEUE /* and not in S */, GHOST };
enum { LIR_MAX, QUEUE_MAX };               /* limits */
enum { STACK = 1, QUEUE = 1, GHOSTS = 2 }; /* nodes that are the ends of lists */

struct lirs_link {
	uint32_t prev, next;
};

static uint64_t queue_max(uint64_t capacity)
{
	return capacity >= 100 ? capacity / 100 : 1;
}

static uint64_t lirs_nodes(uint64_t capacity)
{
	return 2 * capacity + queue_max(capacity);
}

static uint64_t lirs_bytes(uint64_t capacity, uint64_t future)
{
	(void)future;
	return (lirs_nodes(capacity) + NODE_FIRST) * sizeof(struct lirs_link);
}

static void lirs_free(struct cache *c)
{
	free(c->state);
}

static bool lirs_init(struct cache *c, const struct cache_future *future)
{
	struct lirs_link *q = calloc(lirs_nodes(c->capacity) + NODE_FIRST, sizeof *q);
	(void)future;
	if (q == NULL)
		return false;
	for (uint32_t i = QUEUE; i <= GHOSTS; i++)
		q[i] = (struct lirs_link){i, i};
	c->state = q;
	c->limit[QUEUE_MAX] = (uint32_t)queue_max(c->capacity);
	c->limit[LIR_MAX] = c->capacity - c->limit[QUEUE_MAX];
	c->ghosts = 1 << GHOST;
	return true;
}

static inline void queue_unlink(struct cache *c, uint32_t e)
{
	struct lirs_link *q = c->state;
	q[q[e].prev].next = q[e].next;
	q[q[e].next].prev = q[e].prev;
}

static inline void queue_push(struct cache *c, uint32_t end, uint32_t e)
{
	struct lirs_link *q = c->state;
	q[e] = (struct lirs_link){q[end].prev, end};
	q[q[e].prev].next = e;
	q[end].prev = e;
}

static inline void stack_unlink(struct cache *c, uint32_t e)
{
	node_link(c, c->nodes[e].prev, c->nodes[e].next);
}

static inline void stack_push(struct cache *c, uint32_t e)
{
	node_link(c, c->nodes[STACK].prev, e);
	node_link(c, e, STACK);
}

static inline void enter_state(struct cache *c, uint32_t e, unsigned state)
{
	c->states[e].list = state & 7U;
	c->size[state]++;
}

static inline void change_state(struct cache *c, uint32_t e, unsigned state)
{
	c->size[c->states[e].list & (LISTS - 1)]--;
	enter_state(c, e, state);
}

static inline void forget_ghost(struct cache *c, uint32_t e)
{
	stack_unlink(c, e);
	queue_unlink(c, e);
	c->size[GHOST]--;
	cache_release(c, e);
}

/* Removes HIR blocks and ghosts from the bottom of S, so that a LIR block is there. */
static inline void prune(struct cache *c)
{
	uint32_t e;
	while ((e = c->nodes[STACK].next) != STACK && c->states[e].list != LIR)
		if (c->states[e].list == GHOST)
			forget_ghost(c, e);
		else {
			stack_unlink(c, e);
			change_state(c, e, HIR_IN_QUEUE);
		}
}

/* S has at most 2 C entries: the ghost that was evicted first goes before another one is added. */
static inline void stack_add(struct cache *c, uint32_t e)
{
	const uint64_t size = (uint64_t)c->size[LIR] + c->size[HIR_IN_STACK] + c->size[GHOST];
	if (size == 2 * (uint64_t)c->capacity)
		forget_ghost(c, ((struct lirs_link *)c->state)[GHOSTS].next);
	stack_push(c, e);
}

/* The LIR block at the bottom of S becomes the last HIR block of Q. */
static inline void demote(struct cache *c)
{
	const uint32_t e = c->nodes[STACK].next;
	stack_unlink(c, e);
	change_state(c, e, HIR_IN_QUEUE);
	queue_push(c, QUEUE, e);
}

/* A block or ghost in S becomes LIR. */
static inline void become_lir(struct cache *c, uint32_t e)
{
	queue_unlink(c, e);
	stack_unlink(c, e);
	stack_push(c, e);
	change_state(c, e, LIR);
	if (c->size[LIR] > c->limit[LIR_MAX])
		demote(c);
	prune(c);
}

ALWAYS_INLINE void lirs_hit(struct cache *c, uint32_t e)
{
	if (c->states[e].list == LIR) {
		stack_unlink(c, e);
		stack_push(c, e);
		prune(c);
	} else if (c->states[e].list == HIR_IN_STACK)
		become_lir(c, e);
	else if (c->capacity > 1) {
		stack_add(c, e);
		change_state(c, e, HIR_IN_STACK);
		queue_unlink(c, e);
		queue_push(c, QUEUE, e);
	}
}

/* Takes a resident block out of S and Q. */
static void lirs_remove(struct cache *c, uint32_t e)
{
	const unsigned state = c->states[e].list;
	if (state != HIR_IN_QUEUE)
		stack_unlink(c, e);
	if (state != LIR)
		queue_unlink(c, e);
	c->size[state & (LISTS - 1)]--;
	prune(c);
}

/*
 * The block at the front of Q; if the guard admits none of Q, the LIR block nearest to the bottom.
 */
static inline uint32_t lirs_victim(const struct cache *c, const struct cache_guard *guard)
{
	const struct lirs_link *q = c->state;
	uint32_t e = q[QUEUE].next;
	while (e != QUEUE && !evictable(guard, e))
		e = q[e].next;
	if (e != QUEUE)
		return e;
	for (e = c->nodes[STACK].next; e != STACK; e = c->nodes[e].next)
		if (c->states[e].list == LIR && evictable(guard, e))
			return e;
	return 0;
}

static inline void lirs_evict(struct cache *c, uint32_t e)
{
	cache_count_eviction(c, e);
	if (c->states[e].list == HIR_IN_STACK) {
		queue_unlink(c, e);
		queue_push(c, GHOSTS, e);
		change_state(c, e, GHOST);
	} else {
		lirs_remove(c, e);
		cache_release(c, e);
	}
}

static inline uint32_t lirs_insert(struct cache *c, uint64_t key)
{
	const uint32_t e = cache_take(c, key);
	if (c->size[LIR] < c->limit[LIR_MAX]) {
		stack_add(c, e);
		enter_state(c, e, LIR);
		return e;
	}
	queue_push(c, QUEUE, e);
	if (c->capacity > 1)
		stack_add(c, e);
	enter_state(c, e, c->capacity > 1 ? HIR_IN_STACK : HIR_IN_QUEUE);
	return e;
}

ALWAYS_INLINE uint32_t lirs_miss(struct cache *c, uint64_t key, uint32_t ghost,
				 const struct cache_guard *guard)
{
	if (c->resident == c->capacity) {
		const uint32_t victim = lirs_victim(c, guard);
		if (victim == 0)
			return CACHE_NONE;
		lirs_evict(c, victim);
		if (guard != NULL) /* the eviction of a LIR block may have removed it */
			ghost = cache_lookup(c, key, cache_home(c, key));
	}
	if (ghost == 0)
		return lirs_insert(c, key);
	cache_revive(c, ghost);
	become_lir(c, ghost);
	return ghost;
}

POLICY_REFER(lirs)

const struct cache_ops cache_lirs = {.name = "lirs",
				     .is_dense = true,
				     .nodes = lirs_nodes,
				     .bytes = lirs_bytes,
				     .init = lirs_init,
				     .free = lirs_free,
				     .remove = lirs_remove,
				     POLICY_REFERS(lirs)};
