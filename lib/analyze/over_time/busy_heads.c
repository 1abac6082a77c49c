/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The heads of the wide kinds, BUSY_IO and BUSY_ALL. A wide kind has the union of the intervals of
 * its narrow kinds, unless a request out of order begins in time that the wide kind has counted
 * already. A state saves the head of a wide kind only if it differs from that union.
 */
#include "busy.h"

#include <stdlib.h>

#include "lib/analyze/containers/saturate.h"
#include "lib/base/array.h"

static size_t *intervals_of(struct busy *b, enum busy_kind kind)
{
	return &b->intervals[kind < BUSY_HEADS ? 0 : kind - BUSY_HEADS + 1];
}

/* Most heads have one interval, so their arrays begin with one. */
static bool append(struct busy_head *h, struct busy_interval interval)
{
	if (h->count == h->capacity) {
		const uint32_t capacity = h->capacity > 0 ? 2 * h->capacity : 1;
		struct busy_interval *grown = realloc(h->interval, capacity * sizeof *grown);
		if (grown == NULL)
			return false;
		h->interval = grown;
		h->capacity = capacity;
	}
	h->interval[h->count++] = interval;
	return true;
}

bool busy_add_head(struct busy *b, size_t row, enum busy_kind kind, struct busy_interval interval)
{
	if (!array_reserve_index(&b->heads, &b->head_capacity, row, sizeof *b->heads))
		return false;
	struct busy_head *h = &b->heads[row][kind];
	if (h->more)
		return true;
	if (h->count > 0 && h->interval[h->count - 1].to_ns == interval.from_ns) {
		h->interval[h->count - 1].to_ns = interval.to_ns;
		return true;
	}
	h->more = h->count >= BUSY_HEAD_MIN && *intervals_of(b, kind) >= BUSY_INTERVALS_MAX;
	*intervals_of(b, kind) += !h->more && h->count >= BUSY_HEAD_MIN;
	return h->more || append(h, interval);
}

/* The narrow kinds of which a kind is the union: [0] to [1] - 1. */
static const unsigned members[BUSY_KINDS][2] = {
    [BUSY_IO] = {BUSY_READ, BUSY_METADATA}, [BUSY_ALL] = {BUSY_READ, BUSY_HEADS}};

int64_t busy_known_ns(const struct busy_head *h)
{
	if (!h->more)
		return INT64_MAX;
	return h->count > 0 ? h->interval[h->count - 1].to_ns : 0;
}

static int64_t all_known_ns(const struct busy_head heads[BUSY_HEADS], enum busy_kind kind)
{
	int64_t min_ns = INT64_MAX;
	for (unsigned m = members[kind][0]; m < members[kind][1]; m++)
		min_ns = busy_known_ns(&heads[m]) < min_ns ? busy_known_ns(&heads[m]) : min_ns;
	return min_ns;
}

/* Stores the next interval of a kind, which begins before end_ns. Returns false at the end. */
static bool next_interval(const struct busy_head heads[BUSY_HEADS], enum busy_kind kind,
			  size_t at[BUSY_HEADS], int64_t end_ns, struct busy_interval *next)
{
	unsigned first = BUSY_HEADS;
	next->from_ns = end_ns;
	for (unsigned m = members[kind][0]; m < members[kind][1]; m++)
		if (at[m] < heads[m].count && heads[m].interval[at[m]].from_ns < next->from_ns) {
			first = m;
			*next = heads[m].interval[at[m]];
		}
	if (first < BUSY_HEADS)
		at[first]++;
	return first < BUSY_HEADS;
}

/* Stores the next part of the union that is not done yet, up to end_ns. */
static bool next_of_union(const struct busy_head heads[BUSY_HEADS], enum busy_kind kind,
			  size_t at[BUSY_HEADS], int64_t end_ns, struct busy_interval *next)
{
	const int64_t done_ns = next->to_ns; /* at the beginning 0, as no time is negative */
	while (next_interval(heads, kind, at, end_ns, next)) {
		next->from_ns = next->from_ns > done_ns ? next->from_ns : done_ns;
		next->to_ns = next->to_ns < end_ns ? next->to_ns : end_ns;
		if (next->from_ns < next->to_ns)
			return true;
	}
	return false;
}

/* Sets the head of a row, which is empty. */
static bool derive(struct busy *b, size_t row, enum busy_kind kind)
{
	const int64_t known = all_known_ns(b->heads[row], kind);
	size_t at[BUSY_HEADS] = {0};
	struct busy_interval in = {0, 0};
	while (next_of_union(b->heads[row], kind, at, known, &in))
		if (!busy_add_head(b, row, kind, in))
			return false;
	b->heads[row][kind].more |= known < INT64_MAX;
	return true;
}

bool busy_derive_heads(struct busy *b)
{
	const unsigned kinds = b->by_pair ? BUSY_ALL : BUSY_KINDS;
	for (size_t row = 0; row < b->head_capacity; row++)
		for (unsigned kind = BUSY_HEADS; kind < kinds; kind++)
			if (b->heads[row][kind].count == 0 && !derive(b, row, kind))
				return false;
	return true;
}

uint64_t busy_head_ns(const struct busy_head *h, int64_t end_ns)
{
	uint64_t ns = 0;
	for (size_t i = 0; i < h->count && h->interval[i].from_ns < end_ns; i++) {
		const struct busy_interval *in = &h->interval[i];
		ns += (uint64_t)((in->to_ns < end_ns ? in->to_ns : end_ns) - in->from_ns);
	}
	return ns;
}

static const struct busy_interval *next_of(const struct busy_head heads[2], size_t at[2])
{
	const bool left[2] = {at[0] < heads[0].count, at[1] < heads[1].count};
	if (!left[0] && !left[1])
		return NULL;
	const bool second = !left[0] || (left[1] && heads[1].interval[at[1]].from_ns <
							heads[0].interval[at[0]].from_ns);
	return &heads[second].interval[at[second]++];
}

/* Sets an empty head to the union of two. Stores the time that both have. */
static bool unite(struct busy *b, size_t row, enum busy_kind kind, const struct busy_head heads[2],
		  uint64_t *common_ns)
{
	const struct busy_interval *next;
	size_t at[2] = {0, 0};
	int64_t end_ns = 0;
	while ((next = next_of(heads, at)) != NULL) {
		struct busy_interval in = *next;
		const int64_t until = in.to_ns < end_ns ? in.to_ns : end_ns;
		*common_ns += until > in.from_ns ? (uint64_t)(until - in.from_ns) : 0;
		in.from_ns = in.from_ns > end_ns ? in.from_ns : end_ns;
		if (in.from_ns < in.to_ns && !busy_add_head(b, row, kind, in))
			return false;
		end_ns = in.to_ns > end_ns ? in.to_ns : end_ns;
	}
	b->heads[row][kind].more |= heads[0].more || heads[1].more;
	return true;
}

static bool unite_kind(struct busy *b, size_t to, size_t from, enum busy_kind kind)
{
	struct busy_process *rows[2] = {&b->processes[to], &b->processes[from]};
	uint64_t *ns = &rows[0]->of[kind].ns, common_ns = 0;
	int64_t *end_ns = &rows[0]->of[kind].end_ns;
	const int64_t ends[2] = {*end_ns, rows[1]->of[kind].end_ns};
	const struct busy_head heads[2] = {b->heads[to][kind], b->heads[from][kind]};
	const bool both = *ns > 0 && rows[1]->of[kind].ns > 0;
	b->heads[to][kind] = b->heads[from][kind] = (struct busy_head){.count = 0};
	const bool united = unite(b, to, kind, heads, &common_ns);
	b->inexact[kind] |=
	    both && (!b->part || b->out_of_order || ends[0] > busy_known_ns(&heads[1]) ||
		     ends[1] > busy_known_ns(&heads[0]));
	*ns = saturate_add(*ns, rows[1]->of[kind].ns) - common_ns;
	*end_ns = ends[0] > ends[1] ? ends[0] : ends[1];
	rows[1]->of[kind].ns = 0;
	free(heads[0].interval);
	free(heads[1].interval);
	return united;
}

bool busy_unite_rows(struct busy *part, size_t to, size_t from)
{
	const size_t last = to > from ? to : from;
	if (!array_reserve_index(&part->heads, &part->head_capacity, last, sizeof *part->heads))
		return false;
	for (unsigned kind = 0; kind < BUSY_KINDS; kind++)
		if (!unite_kind(part, to, from, kind))
			return false;
	return true;
}

/* Returns whether the head of a wide kind equals the union, as far as both are known. */
static bool is_derived(const struct busy_head heads[BUSY_KINDS], enum busy_kind kind)
{
	const int64_t known[2] = {busy_known_ns(&heads[kind]), all_known_ns(heads, kind)},
		      end_ns = known[0] < known[1] ? known[0] : known[1];
	size_t at[BUSY_HEADS] = {0};
	struct busy_interval in = {0, 0};
	uint64_t ns = 0;
	while (next_of_union(heads, kind, at, end_ns, &in))
		ns += (uint64_t)(in.to_ns - in.from_ns);
	return ns == busy_head_ns(&heads[kind], end_ns);
}

void busy_find_derived(struct busy *b)
{
	for (size_t row = 0; row < b->head_capacity; row++)
		for (unsigned kind = BUSY_HEADS; kind < BUSY_KINDS; kind++)
			b->heads[row][kind].derived = is_derived(b->heads[row], kind);
}
