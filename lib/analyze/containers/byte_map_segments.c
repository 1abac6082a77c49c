/* SPDX-License-Identifier: BSD-2-Clause */
/* Inserts and removes segments. */
#include "byte_map_internal.h"

#include <stdlib.h>

enum {
	LEAF_FEW = 16, /* a leaf with fewer is merged with the next one */
	LEAF_MERGED = 48,
};

struct byte_leaf *byte_new_leaf(uint32_t capacity)
{
	const size_t sums = capacity == LEAF_MAX ? sizeof(struct map_sums) : 0;
	struct byte_leaf *leaf =
	    calloc(1, sizeof *leaf + capacity * (sizeof *leaf->begin + 1) + sums);
	if (leaf == NULL)
		return NULL;
	leaf->capacity = capacity;
	return leaf;
}

/* Moves the segments [first, first + n) of a leaf to the end of another one. */
static void move_segments(struct byte_leaf *to, struct byte_leaf *from, size_t first, size_t n)
{
	memcpy(to->begin + to->count, from->begin + first, n * sizeof *to->begin);
	memcpy(states_of(to) + to->count, states_of(from) + first, n);
	forget_sums(to);
	forget_sums(from);
	to->count += (uint32_t)n;
	from->count -= (uint32_t)n;
}

void byte_put_segment(struct byte_leaf *leaf, size_t slot, uint64_t begin, unsigned state)
{
	const size_t after = leaf->count - slot;
	uint8_t *states = states_of(leaf);
	memmove(leaf->begin + slot + 1, leaf->begin + slot, after * sizeof *leaf->begin);
	memmove(states + slot + 1, states + slot, after);
	leaf->begin[slot] = begin;
	states[slot] = (uint8_t)state;
	leaf->count++;
	forget_sums(leaf);
}

static void take_segment(struct byte_leaf *leaf, size_t slot)
{
	const size_t after = leaf->count - slot - 1;
	uint8_t *states = states_of(leaf);
	memmove(leaf->begin + slot, leaf->begin + slot + 1, after * sizeof *leaf->begin);
	memmove(states + slot, states + slot + 1, after);
	leaf->count--;
	forget_sums(leaf);
}

/* Replaces the only leaf of a map without an index by a larger one. */
static bool grow(struct byte_map *m, struct byte_position *at)
{
	struct byte_leaf *leaf = byte_new_leaf(4 * at->leaf->capacity);
	if (leaf == NULL)
		return false;
	move_segments(leaf, at->leaf, 0, at->leaf->count);
	free(m->leaf);
	at->leaf = m->leaf = leaf;
	return true;
}

/* Splits a full leaf in halves; the last one before its last segment, as segments are appended. */
static bool split(struct byte_map *m, struct byte_position *at)
{
	const size_t keep =
	    at->slot + 1 == LEAF_MAX && leaf_end(m, at) == UINT64_MAX ? LEAF_MAX - 1 : LEAF_MAX / 2;
	struct byte_leaf *from = at->leaf, *leaf = byte_new_leaf(LEAF_MAX);
	if (leaf == NULL)
		return false;
	move_segments(leaf, from, keep, LEAF_MAX - keep);
	if (!byte_insert_leaf(m, at, leaf)) {
		free(leaf);
		return false;
	}
	if (at->slot < keep)
		return true;
	at->slot -= keep;
	at->child++;
	at->leaf = leaf;
	return true;
}

bool byte_insert_after(struct byte_maps *all, struct byte_map *m, struct byte_position *at,
		       uint64_t begin, unsigned state)
{
	byte_open_branch(m, at->branch);
	if (at->leaf->count == at->leaf->capacity) {
		byte_forget_cursors(m);
		if (at->leaf->capacity < LEAF_MAX ? !grow(m, at) : !split(m, at))
			return false;
	}
	byte_put_segment(at->leaf, ++at->slot, begin, state);
	all->segments++;
	return true;
}

/* Gives the segments of the next leaf of the branch to this one if there are few. */
static void merge_next(struct byte_map *m, const struct byte_position *at)
{
	const struct branch *b = m->index->branch[at->branch];
	struct byte_leaf *next = at->child + 1 < b->count ? b->leaf[at->child + 1] : NULL;
	if (next == NULL || at->leaf->count + next->count > LEAF_MERGED)
		return;
	move_segments(at->leaf, next, 0, next->count);
	byte_remove_leaf(m->index, at->branch, at->child + 1);
}

/* Removes a segment but the first one; moves to the one before, which takes its bytes. */
static void remove_segment(struct byte_maps *all, struct byte_map *m, struct byte_position *at)
{
	struct byte_position gone = *at;
	const bool first = at->slot == 0;
	byte_open_branch(m, at->branch);
	all->segments--;
	take_segment(at->leaf, at->slot);
	if (first)
		previous_leaf(m, at);
	else
		at->slot--;
	if (m->index == NULL || (!first && gone.leaf->count >= LEAF_FEW))
		return;
	byte_forget_cursors(m);
	if (gone.leaf->count == 0) {
		byte_remove_leaf(m->index, gone.branch, gone.child);
		return;
	}
	if (first) {
		struct branch *b = m->index->branch[gone.branch];
		b->begin[gone.child] = gone.leaf->begin[0];
		m->index->begin[gone.branch] = b->begin[0];
	}
	if (gone.leaf->count < LEAF_FEW)
		merge_next(m, &gone);
}

void byte_join_previous(struct byte_maps *all, struct byte_map *m, struct byte_position *at)
{
	if (is_first(at))
		return;
	const struct byte_position previous = before(m, at);
	if (state_at(m, &previous) == state_at(m, at))
		remove_segment(all, m, at);
}
