/* SPDX-License-Identifier: BSD-2-Clause */
#include "byte_map_internal.h"

#include <stdlib.h>

#include "lib/base/ahead.h"

#include "saturate.h"

enum {
	LEAF_FIRST = 4,       /* segments that a small file has */
	VISITS_PER_WHOLE = 8, /* the cost of changing a whole leaf or branch, in segments */
	LEAF_SIZE = sizeof(struct byte_leaf) + LEAF_MAX * (sizeof(uint64_t) + 1)
};

static bool begin_map(struct byte_maps *all, struct byte_map *m)
{
	if (!byte_map_is_empty(m))
		return true;
	m->leaf = byte_new_leaf(LEAF_FIRST);
	if (m->leaf == NULL)
		return false;
	byte_put_segment(m->leaf, 0, 0, 0);
	all->segments++;
	return true;
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
	       byte_insert_after(all, m, at, c->begin, state);
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
		if (!byte_insert_after(all, m, at, c->end, state))
			return false;
		*at = before(m, at);
	}
	if (next != state) {
		byte_open_branch(m, at->branch);
		states_of(at->leaf)[at->slot] = (uint8_t)next;
		forget_sums(at->leaf);
	}
	byte_join_previous(all, m, at);
	return true;
}

/*
 * Changes what is all in the range at the cost of a few segments. Returns false if segments of it
 * become one.
 */
static bool change_whole(struct byte_maps *all, struct map_sums *sums, uint64_t end,
			 const uint8_t *next, uint64_t touched[BYTE_STATES])
{
	if (byte_joins_segments(sums, next))
		return false;
	for (unsigned i = 0; i < BYTE_STATES; i++)
		touched[i] = saturate_add(touched[i], sums->bytes[i]);
	touched[sums->last] = saturate_add(touched[sums->last], end - sums->last_begin);
	byte_change_states(sums, next);
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
	byte_open_branch(m, at->branch);
	byte_add_leaf_sums(at->leaf, sums);
	if (!change_whole(all, sums, end, c->next, touched))
		return false;
	at->slot = at->leaf->count - 1;
	return true;
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
	const size_t block = at->branch / BLOCK, last = byte_block_end(m->index, block) - 1;
	const uint64_t end = branch_end(m, last);
	if (end > c->end || !change_whole(all, byte_known_block(m, block), end, c->next, touched))
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
	byte_open_block(m->index, at->branch / BLOCK);
	if (!change_whole(all, byte_known_branch(m, at->branch), end, c->next, touched))
		return false;
	move_to_last(m, at, at->branch);
	return true;
}

/*
 * Returns whether the segment and what follows may be changed as a whole: it does not become part
 * of the one before.
 */
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
		byte_join_previous(all, m, &at);
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

static bool is_at_cursor(const struct byte_cursor *c, uint64_t begin)
{
	return c->leaf != NULL && begin >= c->leaf->begin[0] && begin < c->end;
}

void byte_map_ahead(const struct byte_map *m, uint64_t begin)
{
	if (m->index == NULL)
		return;
	for (unsigned i = 0; i < BYTE_CURSORS; i++)
		if (is_at_cursor(&m->cursor[i], begin))
			return;
	ahead_load(find_leaf(m, begin).leaf, LEAF_SIZE);
}

/* Whole maps */

bool byte_map_append(struct byte_maps *all, struct byte_map *m, uint64_t begin, unsigned state)
{
	if (!begin_map(all, m))
		return false;
	struct byte_position last = find(m, UINT64_MAX);
	if (begin > 0)
		return byte_insert_after(all, m, &last, begin, state);
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
	byte_free_index(m->index);
	*m = (struct byte_map){.leaf = NULL};
}
