/* SPDX-License-Identifier: BSD-2-Clause */
#include "byte_map.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"

#include "saturate.h"

enum {
	LEAF_MAX = 64,
	LEAF_FIRST = 4, /* segments that a small file has */
	LEAF_FEW = 16,  /* a leaf with fewer is merged with the next one */
	LEAF_MERGED = 48,
	BRANCH_MAX = 16,
	BLOCK = 16,          /* branches */
	VISITS_PER_WHOLE = 8 /* the cost of changing a whole leaf or branch, in segments */
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

static struct byte_leaf *new_leaf(uint32_t capacity)
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

static void put_segment(struct byte_leaf *leaf, size_t slot, uint64_t begin, unsigned state)
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

static void add_neighbour(struct map_sums *sums, uint64_t bytes, unsigned next)
{
	sums->bytes[sums->last] += bytes;
	sums->followers[sums->last] |= (uint8_t)(1U << next);
	sums->last = (uint8_t)next;
}

static void add_leaf_sums(struct byte_leaf *leaf, struct map_sums *sums)
{
	const uint8_t *states = states_of(leaf);
	if (sums->known)
		return;
	*sums = (struct map_sums){.first = states[0], .last = states[0], .known = true};
	for (size_t i = 1; i < leaf->count; i++)
		add_neighbour(sums, leaf->begin[i] - leaf->begin[i - 1], states[i]);
	sums->last_begin = leaf->begin[leaf->count - 1];
}

/* Appends what begins at `begin`. */
static void append_sums(struct map_sums *to, const struct map_sums *more, uint64_t begin)
{
	if (to->known)
		add_neighbour(to, begin - to->last_begin, more->first);
	else
		*to = (struct map_sums){.first = more->first, .known = true};
	for (unsigned k = 0; k < BYTE_STATES; k++) {
		to->bytes[k] += more->bytes[k];
		to->followers[k] |= more->followers[k];
	}
	to->last = more->last;
	to->last_begin = more->last_begin;
}

static void add_branch_sums(struct branch *b)
{
	for (size_t i = 0; i < b->count; i++) {
		add_leaf_sums(b->leaf[i], sums_of(b->leaf[i]));
		append_sums(&b->sums, sums_of(b->leaf[i]), b->begin[i]);
	}
}

/* Returns whether neighbours get the same state, so that they become one. */
static bool joins_segments(const struct map_sums *sums, const uint8_t *next)
{
	for (unsigned i = 0; i < BYTE_STATES; i++)
		for (unsigned left = sums->followers[i]; left != 0; left &= left - 1)
			if (next[i] == next[__builtin_ctz(left)])
				return true;
	return false;
}

static void change_states(struct map_sums *sums, const uint8_t *next)
{
	const struct map_sums of = *sums;
	memset(sums->bytes, 0, sizeof sums->bytes);
	memset(sums->followers, 0, sizeof sums->followers);
	for (unsigned i = 0; i < BYTE_STATES; i++) {
		sums->bytes[next[i]] += of.bytes[i];
		sums->becomes[i] = next[of.changed ? of.becomes[i] : i];
		for (unsigned left = of.followers[i]; left != 0; left &= left - 1)
			sums->followers[next[i]] |= (uint8_t)(1U << next[__builtin_ctz(left)]);
	}
	sums->first = next[of.first];
	sums->last = next[of.last];
	sums->changed = true;
}

/* Index */

static void forget_cursors(struct byte_map *m)
{
	for (unsigned i = 0; i < BYTE_CURSORS; i++)
		m->cursor[i].leaf = NULL;
}

static size_t block_end(const struct byte_index *index, size_t block)
{
	return (block + 1) * BLOCK < index->count ? (block + 1) * BLOCK : index->count;
}

static void open_block(struct byte_index *index, size_t block)
{
	struct map_sums *sums = &index->block[block];
	for (size_t i = block * BLOCK; i < block_end(index, block) && sums->changed; i++)
		change_states(&index->branch[i]->sums, sums->becomes);
	sums->changed = sums->known = false;
}

/* Before branches move. */
static void open_blocks(struct byte_index *index, size_t from)
{
	for (size_t i = from / BLOCK; i * BLOCK < index->count; i++)
		open_block(index, i);
}

/* Before a change within a branch: applies the changes of the whole branch before. */
static void open_branch(const struct byte_map *m, size_t i)
{
	if (m->index == NULL || !m->index->branch[i]->sums.known)
		return;
	struct branch *b = m->index->branch[i];
	open_block(m->index, i / BLOCK);
	for (size_t k = 0; k < b->count && b->sums.changed; k++)
		change_states(sums_of(b->leaf[k]), b->sums.becomes);
	b->sums.changed = b->sums.known = false;
}

static bool insert_branch(struct byte_index *index, size_t i, struct branch *branch)
{
	if (!array_reserve(&index->begin, &index->begin_capacity, index->count + 1,
			   sizeof *index->begin) ||
	    !array_reserve(&index->branch, &index->capacity, index->count + 1,
			   sizeof *index->branch) ||
	    !array_reserve_index(&index->block, &index->block_capacity, index->count / BLOCK,
				 sizeof *index->block))
		return false;
	open_blocks(index, i);
	memmove(index->begin + i + 1, index->begin + i, (index->count - i) * sizeof *index->begin);
	memmove(index->branch + i + 1, index->branch + i,
		(index->count - i) * sizeof *index->branch);
	index->begin[i] = branch->begin[0];
	index->branch[i] = branch;
	index->count++;
	return true;
}

/* Gives the second half of a full branch to a new one. */
static bool split_branch(struct byte_index *index, size_t i)
{
	struct branch *from = index->branch[i], *half = calloc(1, sizeof *half);
	if (half == NULL)
		return false;
	half->count = BRANCH_MAX / 2;
	from->count = BRANCH_MAX / 2;
	memcpy(half->begin, from->begin + BRANCH_MAX / 2, sizeof half->begin / 2);
	memcpy(half->leaf, from->leaf + BRANCH_MAX / 2, sizeof half->leaf / 2);
	if (insert_branch(index, i + 1, half))
		return true;
	free(half);
	return false;
}

static void put_leaf(struct branch *b, size_t i, struct byte_leaf *leaf)
{
	memmove(b->begin + i + 1, b->begin + i, (b->count - i) * sizeof *b->begin);
	memmove(b->leaf + i + 1, b->leaf + i, (b->count - i) * sizeof *b->leaf);
	b->begin[i] = leaf->begin[0];
	b->leaf[i] = leaf;
	b->count++;
}

/* The only leaf becomes the first one of an index. */
static bool begin_index(struct byte_map *m)
{
	struct byte_index *index = calloc(1, sizeof *index);
	struct branch *branch = calloc(1, sizeof *branch);
	if (index == NULL || branch == NULL)
		goto failed;
	put_leaf(branch, 0, m->leaf);
	if (!insert_branch(index, 0, branch))
		goto failed;
	m->index = index;
	m->leaf = NULL;
	return true;
failed:
	if (index != NULL) {
		free(index->begin);
		free(index->branch);
		free(index->block);
	}
	free(index);
	free(branch);
	return false;
}

/* Inserts a leaf after a position. */
static bool insert_leaf(struct byte_map *m, struct byte_position *at, struct byte_leaf *leaf)
{
	if (m->index == NULL && !begin_index(m))
		return false;
	if (m->index->branch[at->branch]->count == BRANCH_MAX) {
		if (!split_branch(m->index, at->branch))
			return false;
		if (at->child >= BRANCH_MAX / 2) {
			at->branch++;
			at->child -= BRANCH_MAX / 2;
		}
	}
	put_leaf(m->index->branch[at->branch], at->child + 1, leaf);
	return true;
}

static void remove_leaf(struct byte_index *index, size_t branch, size_t child)
{
	struct branch *b = index->branch[branch];
	free(b->leaf[child]);
	b->count--;
	memmove(b->begin + child, b->begin + child + 1, (b->count - child) * sizeof *b->begin);
	memmove(b->leaf + child, b->leaf + child + 1, (b->count - child) * sizeof *b->leaf);
	if (b->count > 0) {
		index->begin[branch] = b->begin[0];
		return;
	}
	free(b);
	open_blocks(index, branch + 1);
	index->count--;
	memmove(index->begin + branch, index->begin + branch + 1,
		(index->count - branch) * sizeof *index->begin);
	memmove(index->branch + branch, index->branch + branch + 1,
		(index->count - branch) * sizeof *index->branch);
}

/* Positions */

static struct byte_leaf *leaf_at(const struct byte_map *m, size_t branch, size_t child)
{
	return m->index != NULL ? m->index->branch[branch]->leaf[child] : m->leaf;
}

/* Moves to the next leaf. Returns false at the last one. */
static bool next_leaf(const struct byte_map *m, struct byte_position *at)
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
static void previous_leaf(const struct byte_map *m, struct byte_position *at)
{
	if (at->child == 0)
		at->child = m->index->branch[--at->branch]->count;
	at->leaf = leaf_at(m, at->branch, --at->child);
	at->slot = at->leaf->count - 1;
}

static bool next_segment(const struct byte_map *m, struct byte_position *at)
{
	if (at->slot + 1 < at->leaf->count) {
		at->slot++;
		return true;
	}
	return next_leaf(m, at);
}

static uint64_t branch_end(const struct byte_map *m, size_t branch)
{
	return m->index != NULL && branch + 1 < m->index->count ? m->index->begin[branch + 1]
								: UINT64_MAX;
}

static uint64_t leaf_end(const struct byte_map *m, const struct byte_position *at)
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

/* The segment that contains x. */
static struct byte_position find(const struct byte_map *m, uint64_t x)
{
	struct byte_position at = {.leaf = m->leaf};
	if (m->index != NULL) {
		at.branch = last_from(m->index->begin, m->index->count, x);
		const struct branch *b = m->index->branch[at.branch];
		at.child = last_from(b->begin, b->count, x);
		at.leaf = b->leaf[at.child];
	}
	at.slot = last_from(at.leaf->begin, at.leaf->count, x);
	return at;
}

/* Segments */

static bool begin_map(struct byte_maps *all, struct byte_map *m)
{
	if (!byte_map_is_empty(m))
		return true;
	m->leaf = new_leaf(LEAF_FIRST);
	if (m->leaf == NULL)
		return false;
	put_segment(m->leaf, 0, 0, 0);
	all->segments++;
	return true;
}

/* Of a leaf without an index. */
static bool grow(struct byte_map *m, struct byte_position *at)
{
	struct byte_leaf *leaf = new_leaf(4 * at->leaf->capacity);
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
	struct byte_leaf *from = at->leaf, *leaf = new_leaf(LEAF_MAX);
	if (leaf == NULL)
		return false;
	move_segments(leaf, from, keep, LEAF_MAX - keep);
	if (!insert_leaf(m, at, leaf)) {
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

/* Inserts a segment after a position, and moves there. */
static bool insert_after(struct byte_maps *all, struct byte_map *m, struct byte_position *at,
			 uint64_t begin, unsigned state)
{
	open_branch(m, at->branch);
	if (at->leaf->count == at->leaf->capacity) {
		forget_cursors(m);
		if (at->leaf->capacity < LEAF_MAX ? !grow(m, at) : !split(m, at))
			return false;
	}
	put_segment(at->leaf, ++at->slot, begin, state);
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
	remove_leaf(m->index, at->branch, at->child + 1);
}

/* Removes a segment but the first one; moves to the one before, which takes its bytes. */
static void remove_segment(struct byte_maps *all, struct byte_map *m, struct byte_position *at)
{
	struct byte_position gone = *at;
	const bool first = at->slot == 0;
	open_branch(m, at->branch);
	all->segments--;
	take_segment(at->leaf, at->slot);
	if (first)
		previous_leaf(m, at);
	else
		at->slot--;
	if (m->index == NULL || (!first && gone.leaf->count >= LEAF_FEW))
		return;
	forget_cursors(m);
	if (gone.leaf->count == 0) {
		remove_leaf(m->index, gone.branch, gone.child);
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

static bool is_first(const struct byte_position *at)
{
	return at->slot == 0 && at->child == 0 && at->branch == 0;
}

/* The segment before one that is not the first. */
static struct byte_position before(const struct byte_map *m, const struct byte_position *at)
{
	struct byte_position to = *at;
	if (to.slot > 0)
		to.slot--;
	else
		previous_leaf(m, &to);
	return to;
}

/* A segment in the state of the one before becomes part of it. */
static void join_previous(struct byte_maps *all, struct byte_map *m, struct byte_position *at)
{
	if (is_first(at))
		return;
	const struct byte_position previous = before(m, at);
	if (state_at(m, &previous) == state_at(m, at))
		remove_segment(all, m, at);
}

/* Changes */

/* Ranges that follow each other change no more than where a segment begins. */
static inline bool change_at_cursor(struct byte_map *m, const struct byte_change *c,
				    uint64_t touched[BYTE_STATES])
{
	const struct byte_cursor *at = &m->cursor[c->cursor];
	struct byte_leaf *leaf = at->leaf;
	const size_t slot = at->slot;
	if (leaf == NULL || slot >= leaf->count || c->begin < leaf->begin[slot])
		return false;
	const uint64_t end = slot + 1 < leaf->count ? leaf->begin[slot + 1] : at->end;
	const uint8_t *states = states_of(leaf);
	const unsigned state = states[slot], next = c->next[state];
	if (c->end > end || c->begin >= end)
		return false;
	if (next != state) {
		if (slot == 0 || c->begin != leaf->begin[slot] || c->end == end ||
		    states[slot - 1] != next)
			return false;
		leaf->begin[slot] = c->end;
		forget_sums(leaf);
	}
	touched[state] = saturate_add(touched[state], c->end - c->begin);
	return true;
}

/* The segment begins no later than the range; the rest of it keeps its state. */
static bool cut_begin(struct byte_maps *all, struct byte_map *m, struct byte_position *at,
		      const struct byte_change *c)
{
	const unsigned state = state_at(m, at);
	return at->leaf->begin[at->slot] >= c->begin || c->next[state] == state ||
	       insert_after(all, m, at, c->begin, state);
}

/* Changes the segment up to the end of the range, at which it is cut. */
static bool change_segment(struct byte_maps *all, struct byte_map *m, struct byte_position *at,
			   const struct byte_change *c, uint64_t touched[BYTE_STATES])
{
	const uint64_t begin = at->leaf->begin[at->slot], end = end_of(m, at);
	const unsigned state = state_at(m, at), next = c->next[state];
	const uint64_t bytes =
	    (end < c->end ? end : c->end) - (begin > c->begin ? begin : c->begin);
	touched[state] = saturate_add(touched[state], bytes);
	all->visited++;
	if (next != state && end > c->end) {
		if (!insert_after(all, m, at, c->end, state))
			return false;
		*at = before(m, at);
	}
	if (next != state) {
		open_branch(m, at->branch);
		states_of(at->leaf)[at->slot] = (uint8_t)next;
		forget_sums(at->leaf);
	}
	join_previous(all, m, at);
	return true;
}

/*
 * Changes what is all in the range at the cost of a few segments. Returns false if segments of it become
 * one.
 */
static bool change_whole(struct byte_maps *all, struct map_sums *sums, uint64_t end,
			 const uint8_t *next, uint64_t touched[BYTE_STATES])
{
	if (joins_segments(sums, next))
		return false;
	for (unsigned i = 0; i < BYTE_STATES; i++)
		touched[i] = saturate_add(touched[i], sums->bytes[i]);
	touched[sums->last] = saturate_add(touched[sums->last], end - sums->last_begin);
	change_states(sums, next);
	all->visited += VISITS_PER_WHOLE;
	return true;
}

/* Both move to the last segment of what they change. */
static bool change_leaf(struct byte_maps *all, struct byte_map *m, struct byte_position *at,
			const struct byte_change *c, uint64_t touched[BYTE_STATES])
{
	struct map_sums *sums = sums_of(at->leaf);
	const uint64_t end = leaf_end(m, at);
	if (sums == NULL || end > c->end)
		return false;
	open_branch(m, at->branch);
	add_leaf_sums(at->leaf, sums);
	if (!change_whole(all, sums, end, c->next, touched))
		return false;
	at->slot = at->leaf->count - 1;
	return true;
}

static struct map_sums *known_branch(struct byte_map *m, size_t i)
{
	struct branch *b = m->index->branch[i];
	if (!b->sums.known) {
		forget_cursors(m);
		add_branch_sums(b);
	}
	return &b->sums;
}

static struct map_sums *known_block(struct byte_map *m, size_t block)
{
	struct map_sums *sums = &m->index->block[block];
	if (sums->known)
		return sums;
	for (size_t i = block * BLOCK; i < block_end(m->index, block); i++)
		append_sums(sums, known_branch(m, i), m->index->begin[i]);
	return sums;
}

static void move_to_last(const struct byte_map *m, struct byte_position *at, size_t branch)
{
	at->branch = branch;
	at->child = m->index->branch[branch]->count - 1;
	at->leaf = leaf_at(m, branch, at->child);
	at->slot = at->leaf->count - 1;
}

static bool change_block(struct byte_maps *all, struct byte_map *m, struct byte_position *at,
			 const struct byte_change *c, uint64_t touched[BYTE_STATES])
{
	if (m->index == NULL || at->child != 0 || at->branch % BLOCK != 0)
		return false;
	const size_t block = at->branch / BLOCK, last = block_end(m->index, block) - 1;
	const uint64_t end = branch_end(m, last);
	if (end > c->end || !change_whole(all, known_block(m, block), end, c->next, touched))
		return false;
	move_to_last(m, at, last);
	return true;
}

static bool change_branch(struct byte_maps *all, struct byte_map *m, struct byte_position *at,
			  const struct byte_change *c, uint64_t touched[BYTE_STATES])
{
	const uint64_t end = branch_end(m, at->branch);
	if (m->index == NULL || at->child != 0 || end > c->end)
		return false;
	open_block(m->index, at->branch / BLOCK);
	if (!change_whole(all, known_branch(m, at->branch), end, c->next, touched))
		return false;
	move_to_last(m, at, at->branch);
	return true;
}

/* Whether the segment and what follows may be changed as a whole: it does not become part of the one before. */
static bool begins_whole(const struct byte_map *m, const struct byte_position *at,
			 const struct byte_change *c)
{
	if (at->slot != 0 || at->leaf->begin[0] < c->begin)
		return false;
	if (is_first(at))
		return true;
	const struct byte_position previous = before(m, at);
	return state_at(m, &previous) != c->next[state_at(m, at)];
}

static bool change_segments(struct byte_maps *all, struct byte_map *m, const struct byte_change *c,
			    uint64_t touched[BYTE_STATES])
{
	struct byte_position at = find(m, c->begin);
	if (!cut_begin(all, m, &at, c))
		return false;
	do {
		const bool whole =
		    begins_whole(m, &at, c) && (change_block(all, m, &at, c, touched) ||
						change_branch(all, m, &at, c, touched) ||
						change_leaf(all, m, &at, c, touched));
		if (!whole && !change_segment(all, m, &at, c, touched))
			return false;
	} while (end_of(m, &at) <= c->end && next_segment(m, &at) &&
		 at.leaf->begin[at.slot] < c->end);
	if (at.leaf->begin[at.slot] == c->end)
		join_previous(all, m, &at);
	const bool open = m->index == NULL || !m->index->branch[at.branch]->sums.known;
	m->cursor[c->cursor] = (struct byte_cursor){
	    .leaf = open ? at.leaf : NULL, .end = leaf_end(m, &at), .slot = at.slot};
	return true;
}

bool byte_map_change(struct byte_maps *all, struct byte_map *m, const struct byte_change *change,
		     uint64_t touched[BYTE_STATES])
{
	if (change->begin >= change->end || change_at_cursor(m, change, touched))
		return true;
	return begin_map(all, m) && change_segments(all, m, change, touched);
}

/* Whole maps */

bool byte_map_append(struct byte_maps *all, struct byte_map *m, uint64_t begin, unsigned state)
{
	if (!begin_map(all, m))
		return false;
	struct byte_position last = find(m, UINT64_MAX);
	if (begin > 0)
		return insert_after(all, m, &last, begin, state);
	states_of(m->leaf)[0] = (uint8_t)state;
	return true;
}

bool byte_map_next(const struct byte_map *m, struct byte_position *at, struct byte_segment *to)
{
	if (at->leaf != NULL) {
		if (!next_segment(m, at))
			return false;
	} else if (!byte_map_is_empty(m)) {
		*at = (struct byte_position){.leaf = leaf_at(m, 0, 0)};
	} else {
		return false;
	}
	*to = (struct byte_segment){at->leaf->begin[at->slot], end_of(m, at), state_at(m, at)};
	return true;
}

/* Appends a range, and before it the gap that precedes it. end: of the ranges so far. */
static bool append_rounded(struct byte_maps *all, struct byte_map *m, const struct byte_segment *of,
			   uint64_t *end, unsigned *last)
{
	if (of->begin > *end && *last != 0 && !byte_map_append(all, m, *end, 0))
		return false;
	if (of->begin > *end)
		*last = 0;
	const uint64_t begin = of->begin > *end ? of->begin : *end;
	*end = of->end;
	if (of->state == *last)
		return true;
	*last = of->state;
	return byte_map_append(all, m, begin, of->state);
}

bool byte_map_round(struct byte_maps *all, struct byte_map *m, unsigned bits)
{
	const uint64_t below = ((uint64_t)1 << bits) - 1;
	struct byte_map rounded = {.leaf = NULL};
	struct byte_position at = {.leaf = NULL};
	struct byte_segment s;
	uint64_t end = 0;
	unsigned last = 0;
	bool done = true;
	while (done && byte_map_next(m, &at, &s)) {
		s.begin &= ~below;
		s.end = s.end > UINT64_MAX - below ? UINT64_MAX : (s.end + below) & ~below;
		if (s.state != 0 && s.end > end)
			done = append_rounded(all, &rounded, &s, &end, &last);
	}
	if (done && last != 0 && end < UINT64_MAX)
		done = byte_map_append(all, &rounded, end, 0);
	byte_map_free(all, m);
	*m = rounded;
	return done;
}

static void free_branch(struct branch *b)
{
	for (size_t i = 0; i < b->count; i++)
		free(b->leaf[i]);
	free(b);
}

static size_t count_segments(const struct byte_map *m)
{
	size_t segments = m->leaf != NULL ? m->leaf->count : 0;
	for (size_t i = 0; m->index != NULL && i < m->index->count; i++)
		for (size_t k = 0; k < m->index->branch[i]->count; k++)
			segments += m->index->branch[i]->leaf[k]->count;
	return segments;
}

void byte_map_move(struct byte_maps *all, struct byte_map *m, struct byte_maps *from_all,
		   struct byte_map *from)
{
	const size_t segments = count_segments(from);
	all->segments += segments;
	from_all->segments -= segments;
	*m = *from;
	*from = (struct byte_map){.leaf = NULL};
}

void byte_map_free(struct byte_maps *all, struct byte_map *m)
{
	all->segments -= count_segments(m);
	free(m->leaf);
	for (size_t i = 0; m->index != NULL && i < m->index->count; i++)
		free_branch(m->index->branch[i]);
	if (m->index != NULL) {
		free(m->index->begin);
		free(m->index->branch);
		free(m->index->block);
	}
	free(m->index);
	*m = (struct byte_map){.leaf = NULL};
}
