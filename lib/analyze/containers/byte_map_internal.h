/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of a map.
 *
 *	byte_map_index.c     the index of many segments, and sums of these
 *	byte_map_segments.c  inserts and removes segments
 *	byte_map.c           changes ranges
 */
#ifndef LIB_ANALYZE_CONTAINERS_BYTE_MAP_INTERNAL_H
#define LIB_ANALYZE_CONTAINERS_BYTE_MAP_INTERNAL_H

#include <string.h>

#include "byte_map.h"

enum {
	LEAF_MAX = 64,
	BRANCH_MAX = 16,
	BLOCK = 16, /* branches */
};

struct byte_leaf {
	uint32_t count, capacity;
	uint64_t begin[]; /* followed by the states, and of a leaf of LEAF_MAX by the sums */
};

/* The sums of the segments of a leaf, a branch or a block, and the change that waits for them. */
struct map_sums {
	uint64_t bytes[BYTE_STATES];    /* of all segments but the last, by state */
	uint64_t last_begin;            /* of the last segment */
	uint8_t followers[BYTE_STATES]; /* bits of the states that follow a state */
	uint8_t first, last;            /* states of these segments */
	uint8_t becomes[BYTE_STATES];   /* valid if `changed`: what each state within stands for */
	bool known;                     /* the members above `becomes` are valid */
	bool changed;
};

/* Leaves, and where they begin. */
struct branch {
	size_t count;
	uint64_t begin[BRANCH_MAX];
	struct byte_leaf *leaf[BRANCH_MAX];
	/* If they are known, no cursor is in the branch, and the sums of its leaves are known. */
	struct map_sums sums;
};

struct byte_index {
	uint64_t *begin; /* of the branches */
	struct branch **branch;
	struct map_sums *block; /* of each BLOCK branches; known if the sums of these are */
	size_t count, begin_capacity, capacity, block_capacity;
};

/* Leaves */

/* Returns NULL if the leaf is small. */
static inline struct map_sums *sums_of(struct byte_leaf *leaf)
{
	void *sums = (uint8_t *)(leaf->begin + LEAF_MAX) + LEAF_MAX;
	return leaf->capacity == LEAF_MAX ? sums : NULL;
}

static inline void forget_sums(struct byte_leaf *leaf)
{
	struct map_sums *sums = sums_of(leaf);
	if (sums != NULL)
		sums->known = false;
}

static inline uint8_t *stored_states(struct byte_leaf *leaf)
{
	return (uint8_t *)(leaf->begin + leaf->capacity);
}

/* Applies the changes of the whole leaf before. */
static inline uint8_t *states_of(struct byte_leaf *leaf)
{
	struct map_sums *sums = sums_of(leaf);
	uint8_t *states = stored_states(leaf);
	if (sums == NULL || !sums->changed)
		return states;
	for (size_t i = 0; i < leaf->count; i++)
		states[i] = sums->becomes[states[i]];
	sums->changed = false;
	return states;
}

static inline unsigned state_of(struct byte_leaf *leaf, size_t slot)
{
	const struct map_sums *sums = sums_of(leaf);
	const unsigned state = stored_states(leaf)[slot];
	return sums != NULL && sums->changed ? sums->becomes[state] : state;
}

/* Returns NULL if out of memory. */
struct byte_leaf *byte_new_leaf(uint32_t capacity);
void byte_put_segment(struct byte_leaf *leaf, size_t slot, uint64_t begin, unsigned state);

/* The index of the last one of n numbers in order that is not above x, or 0. */
static inline size_t last_from(const uint64_t *begin, size_t n, uint64_t x)
{
	const uint64_t *at = begin;
	while (n > 1) {
		const size_t half = n / 2;
		at = at[half] <= x ? at + half : at;
		n -= half;
	}
	return (size_t)(at - begin);
}

/* Sums */

void byte_add_leaf_sums(struct byte_leaf *leaf, struct map_sums *sums);
/* Returns whether neighbours get the same state, so that they become one. */
bool byte_joins_segments(const struct map_sums *sums, const uint8_t *next);
void byte_change_states(struct map_sums *sums, const uint8_t *next);

/* Index */

void byte_forget_cursors(struct byte_map *m);
size_t byte_block_end(const struct byte_index *index, size_t block);
void byte_open_block(struct byte_index *index, size_t block);
/* Before a change within a branch: applies the changes of the whole branch before. */
void byte_open_branch(const struct byte_map *m, size_t i);
/* Inserts a leaf after a position. */
bool byte_insert_leaf(struct byte_map *m, struct byte_position *at, struct byte_leaf *leaf);
void byte_remove_leaf(struct byte_index *index, size_t branch, size_t child);
/* These return sums that are known. */
struct map_sums *byte_known_branch(struct byte_map *m, size_t i);
struct map_sums *byte_known_block(struct byte_map *m, size_t block);
void byte_free_index(struct byte_index *index);

/* Positions */

static inline struct byte_leaf *leaf_at(const struct byte_map *m, size_t branch, size_t child)
{
	return m->index != NULL ? m->index->branch[branch]->leaf[child] : m->leaf;
}

/* Moves to the next leaf. Returns false at the last one. */
static inline bool next_leaf(const struct byte_map *m, struct byte_position *at)
{
	if (m->index == NULL)
		return false;
	if (at->child + 1 < m->index->branch[at->branch]->count) {
		at->child++;
	} else if (at->branch + 1 < m->index->count) {
		at->branch++;
		at->child = 0;
	} else {
		return false;
	}
	at->leaf = leaf_at(m, at->branch, at->child);
	at->slot = 0;
	return true;
}

/* Moves to the last segment of the leaf before, which exists. */
static inline void previous_leaf(const struct byte_map *m, struct byte_position *at)
{
	if (at->child == 0)
		at->child = m->index->branch[--at->branch]->count;
	at->leaf = leaf_at(m, at->branch, --at->child);
	at->slot = at->leaf->count - 1;
}

static inline bool next_segment(const struct byte_map *m, struct byte_position *at)
{
	if (at->slot + 1 < at->leaf->count) {
		at->slot++;
		return true;
	}
	return next_leaf(m, at);
}

static inline uint64_t branch_end(const struct byte_map *m, size_t branch)
{
	return m->index != NULL && branch + 1 < m->index->count ? m->index->begin[branch + 1]
								: UINT64_MAX;
}

static inline uint64_t leaf_end(const struct byte_map *m, const struct byte_position *at)
{
	const struct branch *b = m->index != NULL ? m->index->branch[at->branch] : NULL;
	return b != NULL && at->child + 1 < b->count ? b->begin[at->child + 1]
						     : branch_end(m, at->branch);
}

static inline uint64_t end_of(const struct byte_map *m, const struct byte_position *at)
{
	return at->slot + 1 < at->leaf->count ? at->leaf->begin[at->slot + 1] : leaf_end(m, at);
}

static inline unsigned state_at(const struct byte_map *m, const struct byte_position *at)
{
	unsigned state = state_of(at->leaf, at->slot);
	if (m->index == NULL)
		return state;
	const struct map_sums *branch = &m->index->branch[at->branch]->sums,
			      *block = &m->index->block[at->branch / BLOCK];
	state = branch->changed ? branch->becomes[state] : state;
	return block->changed ? block->becomes[state] : state;
}

/* The first segment of the leaf that contains x. */
static inline struct byte_position find_leaf(const struct byte_map *m, uint64_t x)
{
	struct byte_position at = {.leaf = m->leaf};
	if (m->index != NULL) {
		at.branch = last_from(m->index->begin, m->index->count, x);
		const struct branch *b = m->index->branch[at.branch];
		at.child = last_from(b->begin, b->count, x);
		at.leaf = b->leaf[at.child];
	}
	return at;
}

/* The segment that contains x. */
static inline struct byte_position find(const struct byte_map *m, uint64_t x)
{
	struct byte_position at = find_leaf(m, x);
	at.slot = last_from(at.leaf->begin, at.leaf->count, x);
	return at;
}

static inline bool is_first(const struct byte_position *at)
{
	return at->slot == 0 && at->child == 0 && at->branch == 0;
}

/* The segment before one that is not the first. */
static inline struct byte_position before(const struct byte_map *m, const struct byte_position *at)
{
	struct byte_position to = *at;
	if (to.slot > 0)
		to.slot--;
	else
		previous_leaf(m, &to);
	return to;
}

/* Segments */

/* Inserts a segment after a position, and moves there. */
bool byte_insert_after(struct byte_maps *all, struct byte_map *m, struct byte_position *at,
		       uint64_t begin, unsigned state);
/* A segment in the state of the one before becomes part of it. */
void byte_join_previous(struct byte_maps *all, struct byte_map *m, struct byte_position *at);

#endif
