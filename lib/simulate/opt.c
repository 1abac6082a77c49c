/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * OPT (Belady): evicts the block with the farthest next reference. Resident blocks are bits at the
 * positions of their next references, in a bitmap with levels of summaries, so that the farthest is
 * found in one access for each level. Of blocks that are never referenced again, the one referenced
 * first goes first: their positions are 2 N - 1 - index of their last reference.
 */
#include <stdlib.h>

#include "cache_internal.h"

enum { LEVELS_MAX = 7, WORD_BITS = 64 };

struct opt {
	const struct cache_future *future;
	size_t at;                   /* references so far */
	uint64_t *level[LEVELS_MAX]; /* level[0] has a bit for each position */
	unsigned levels;
};

static uint64_t words_of(uint64_t bits)
{
	return (bits + WORD_BITS - 1) / WORD_BITS;
}

/* The words of all levels. */
static uint64_t opt_words(uint64_t future)
{
	uint64_t n = words_of(2 * future), total = n;
	for (; n > 1; total += n)
		n = words_of(n);
	return total;
}

static uint64_t opt_bytes(uint64_t capacity, uint64_t future)
{
	(void)capacity;
	return sizeof(struct opt) + opt_words(future) * sizeof(uint64_t);
}

static void opt_free(struct cache *c)
{
	struct opt *o = c->state;
	if (o == NULL)
		return;
	free(o->level[0]);
	free(o);
}

static bool opt_init(struct cache *c, const struct cache_future *future)
{
	struct opt *o = c->state = calloc(1, sizeof *o);
	uint64_t n = words_of(2 * future->count);
	if (o == NULL)
		return false;
	o->future = future;
	o->level[0] = calloc(opt_words(future->count) + 1, sizeof(uint64_t));
	if (o->level[0] == NULL)
		return false;
	for (o->levels = 1; n > 1; o->levels++) {
		o->level[o->levels] = o->level[o->levels - 1] + n;
		n = words_of(n);
	}
	return true;
}

static void set_bit(struct opt *o, uint64_t position)
{
	for (unsigned i = 0; i < o->levels; i++, position /= WORD_BITS)
		o->level[i][position / WORD_BITS] |= (uint64_t)1 << position % WORD_BITS;
}

static void clear_bit(struct opt *o, uint64_t position)
{
	for (unsigned i = 0; i < o->levels; i++, position /= WORD_BITS) {
		uint64_t *word = &o->level[i][position / WORD_BITS];
		*word &= ~((uint64_t)1 << position % WORD_BITS);
		if (*word != 0)
			break;
	}
}

/* The highest position; there is one. */
static uint64_t highest(const struct opt *o)
{
	uint64_t position = 0;
	for (unsigned i = o->levels; i-- > 0;)
		position =
		    position * WORD_BITS + 63 - (unsigned)__builtin_clzll(o->level[i][position]);
	return position;
}

/* A block's position takes the place of its links. */
static uint64_t position_of(const struct cache *c, uint32_t e)
{
	return (uint64_t)c->nodes[e].next << NODE_BITS | c->nodes[e].prev;
}

static void place(struct cache *c, uint32_t e)
{
	struct opt *o = c->state;
	const struct cache_future *f = o->future;
	const uint64_t position =
	    f->next[o->at] != CACHE_NEVER ? f->next[o->at] : 2 * (uint64_t)f->count - 1 - o->at;
	c->nodes[e].prev = position & NODE_MASK;
	c->nodes[e].next = position >> NODE_BITS & NODE_MASK;
	c->states[e].list = 0;
	set_bit(o, position);
}

static void opt_remove(struct cache *c, uint32_t e)
{
	clear_bit(c->state, position_of(c, e));
}

static void opt_hit(struct cache *c, uint32_t e)
{
	opt_remove(c, e);
	place(c, e);
}

static void opt_evict(struct cache *c)
{
	const struct opt *o = c->state;
	const uint64_t p = highest(o), n = o->future->count;
	const uint64_t key = o->future->key[p < n ? p : 2 * n - 1 - p];
	const uint32_t e = cache_lookup(c, key, cache_home(c, key));
	cache_count_eviction(c, e);
	opt_remove(c, e);
	cache_release(c, e);
}

static uint32_t opt_miss(struct cache *c, uint64_t key, uint32_t ghost,
			 const struct cache_guard *guard)
{
	(void)ghost;
	(void)guard;
	if (c->resident == c->capacity)
		opt_evict(c);
	const uint32_t e = cache_take(c, key);
	place(c, e);
	return e;
}

static void opt_refer(struct cache *c, const uint64_t *key, const uint8_t *how, size_t n,
		      uint8_t *result)
{
	struct opt *o = c->state;
	for (size_t i = 0; i < n; i++, o->at++) {
		if (i + PREFETCH_SLOT < n)
			__builtin_prefetch(&c->slots[cache_home(c, key[i + PREFETCH_SLOT])]);
		result[i] = (uint8_t)cache_refer_once(c, key[i], how[i], cache_home(c, key[i]),
						      opt_hit, opt_miss);
	}
}

const struct cache_ops cache_opt = {.name = "opt",
				    .is_dense = true,
				    .nodes = nodes_resident,
				    .bytes = opt_bytes,
				    .init = opt_init,
				    .free = opt_free,
				    .refer = opt_refer,
				    .hit = opt_hit,
				    .miss = opt_miss,
				    .remove = opt_remove};
