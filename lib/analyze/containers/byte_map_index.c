/* SPDX-License-Identifier: BSD-2-Clause */
/* The index of a map of many segments, and the sums that its levels have of these. */
#include "byte_map_internal.h"

#include <stdlib.h>

#include "lib/base/array.h"

static void add_neighbour(struct map_sums *sums, uint64_t bytes, unsigned next)
{
	sums->bytes[sums->last] += bytes;
	sums->followers[sums->last] |= (uint8_t)(1U << next);
	sums->last = (uint8_t)next;
}

void byte_add_leaf_sums(struct byte_leaf *leaf, struct map_sums *sums)
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
		byte_add_leaf_sums(b->leaf[i], sums_of(b->leaf[i]));
		append_sums(&b->sums, sums_of(b->leaf[i]), b->begin[i]);
	}
}

bool byte_joins_segments(const struct map_sums *sums, const uint8_t *next)
{
	for (unsigned i = 0; i < BYTE_STATES; i++)
		for (unsigned left = sums->followers[i]; left != 0; left &= left - 1)
			if (next[i] == next[__builtin_ctz(left)])
				return true;
	return false;
}

void byte_change_states(struct map_sums *sums, const uint8_t *next)
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

void byte_forget_cursors(struct byte_map *m)
{
	for (unsigned i = 0; i < BYTE_CURSORS; i++)
		m->cursor[i].leaf = NULL;
}

size_t byte_block_end(const struct byte_index *index, size_t block)
{
	return (block + 1) * BLOCK < index->count ? (block + 1) * BLOCK : index->count;
}

void byte_open_block(struct byte_index *index, size_t block)
{
	struct map_sums *sums = &index->block[block];
	for (size_t i = block * BLOCK; i < byte_block_end(index, block) && sums->changed; i++)
		byte_change_states(&index->branch[i]->sums, sums->becomes);
	sums->changed = sums->known = false;
}

/* Before branches move. */
static void open_blocks(struct byte_index *index, size_t from)
{
	for (size_t i = from / BLOCK; i * BLOCK < index->count; i++)
		byte_open_block(index, i);
}

void byte_open_branch(const struct byte_map *m, size_t i)
{
	if (m->index == NULL || !m->index->branch[i]->sums.known)
		return;
	struct branch *b = m->index->branch[i];
	byte_open_block(m->index, i / BLOCK);
	for (size_t k = 0; k < b->count && b->sums.changed; k++)
		byte_change_states(sums_of(b->leaf[k]), b->sums.becomes);
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

static void free_branch(struct branch *b)
{
	for (size_t i = 0; i < b->count; i++)
		free(b->leaf[i]);
	free(b);
}

void byte_free_index(struct byte_index *index)
{
	if (index == NULL)
		return;
	for (size_t i = 0; i < index->count; i++)
		free_branch(index->branch[i]);
	free(index->begin);
	free(index->branch);
	free(index->block);
	free(index);
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
	byte_free_index(index);
	free(branch);
	return false;
}

bool byte_insert_leaf(struct byte_map *m, struct byte_position *at, struct byte_leaf *leaf)
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

void byte_remove_leaf(struct byte_index *index, size_t branch, size_t child)
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

struct map_sums *byte_known_branch(struct byte_map *m, size_t i)
{
	struct branch *b = m->index->branch[i];
	if (!b->sums.known) {
		byte_forget_cursors(m);
		add_branch_sums(b);
	}
	return &b->sums;
}

struct map_sums *byte_known_block(struct byte_map *m, size_t block)
{
	struct map_sums *sums = &m->index->block[block];
	if (sums->known)
		return sums;
	for (size_t i = block * BLOCK; i < byte_block_end(m->index, block); i++)
		append_sums(sums, byte_known_branch(m, i), m->index->begin[i]);
	return sums;
}
