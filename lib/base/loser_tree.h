/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A loser tree (Knuth, volume 3, 5.4.1) selects the first of the next elements of n sequences, the
 * leaves. Each inner node holds the loser of the match between the winners below it, so that a new
 * element is compared only on the path from its leaf to the root.
 */
#ifndef LIB_BASE_LOSER_TREE_H
#define LIB_BASE_LOSER_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loser_entry {
	uint64_t key;
	uint64_t order; /* among equal keys; the low 32 bits are the number of the leaf */
};

struct loser_tree {
	struct loser_entry *node; /* 2 * leaves; [0]: the winner */
	size_t leaves;            /* at least 1 */
};

/* The entry of a leaf without a next element: after all others. */
#define LOSER_TREE_END ((struct loser_entry){UINT64_MAX, UINT64_MAX})

/*
 * Returns whether leaf a precedes leaf b; their keys are equal. NULL orders equal keys by their
 * entries, without a branch.
 */
typedef bool loser_tree_tie_fn(const void *context, uint32_t a, uint32_t b);

/* A key that orders signed numbers. */
static inline uint64_t loser_tree_key(int64_t number)
{
	return (uint64_t)number ^ UINT64_C(1) << 63;
}

static inline bool loser_tree_ended(const struct loser_tree *t)
{
	return t->node[0].order == UINT64_MAX;
}

/* The leaf with the first element, unless all have ended. */
static inline uint32_t loser_tree_winner(const struct loser_tree *t)
{
	return (uint32_t)t->node[0].order;
}

static inline __attribute__((always_inline)) bool loser_tree_before(struct loser_entry a,
								    struct loser_entry b,
								    loser_tree_tie_fn *tie,
								    const void *context)
{
	__extension__ typedef unsigned __int128 wide;
	if (tie == NULL)
		return ((wide)a.key << 64 | a.order) < ((wide)b.key << 64 | b.order);
	if (__builtin_expect(a.key != b.key, 1))
		return a.key < b.key;
	if (a.order == UINT64_MAX || b.order == UINT64_MAX)
		return a.order < b.order;
	return tie(context, (uint32_t)a.order, (uint32_t)b.order);
}

/* Plays the matches at a node and below; returns the winner. */
static inline struct loser_entry loser_tree_play(struct loser_tree *t, size_t at,
						 loser_tree_tie_fn *tie, const void *context)
{
	if (at >= t->leaves)
		return t->node[at];
	const struct loser_entry a = loser_tree_play(t, 2 * at, tie, context);
	const struct loser_entry b = loser_tree_play(t, 2 * at + 1, tie, context);
	const bool first = loser_tree_before(a, b, tie, context);
	t->node[at] = first ? b : a;
	return first ? a : b;
}

/* Builds the tree: the entry of leaf i is in node[leaves + i]. */
static inline void loser_tree_build(struct loser_tree *t, loser_tree_tie_fn *tie,
				    const void *context)
{
	t->node[0] = loser_tree_play(t, 1, tie, context);
}

/*
 * Replaces the entry of leaf `leaf`, the winner's. The outcome of a match is unpredictable, so both
 * entries are exchanged, or not, without a branch. The empty asm keeps gcc from storing both words
 * as a vector, which doubles the time of a replay.
 */
static inline __attribute__((always_inline)) void
loser_tree_replay(struct loser_tree *t, uint32_t leaf, struct loser_entry now,
		  loser_tree_tie_fn *tie, const void *context)
{
	for (size_t at = (leaf + t->leaves) / 2; at > 0; at /= 2) {
		struct loser_entry other = t->node[at];
		const uint64_t mask = 0 - (uint64_t)loser_tree_before(other, now, tie, context);
		const uint64_t key = (other.key ^ now.key) & mask;
		const uint64_t order = (other.order ^ now.order) & mask;
		other = (struct loser_entry){other.key ^ key, other.order ^ order};
		now = (struct loser_entry){now.key ^ key, now.order ^ order};
		__asm__("" : "+r"(other.key));
		t->node[at] = other;
	}
	t->node[0] = now;
}

/* The least key except the winner's. */
static inline uint64_t loser_tree_second(const struct loser_tree *t)
{
	uint64_t min = UINT64_MAX;
	for (size_t at = (loser_tree_winner(t) + t->leaves) / 2; at > 0; at /= 2)
		min = t->node[at].key < min ? t->node[at].key : min;
	return min;
}

#endif
