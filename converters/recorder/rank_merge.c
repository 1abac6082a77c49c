/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A loser tree of the ranks of a group, ordered by the start of the next call, then by rank, so
 * that the order is deterministic. Each node stores the loser of its match, so a new call replays
 * only the path from its leaf. Time and rank are packed in one word, so that matches, whose outcome
 * is unpredictable, need no branches.
 */
#include "recorder.h"

enum { NUMBER_BITS = 7 };

_Static_assert(RECORDER_GROUP_RANKS <= 1 << NUMBER_BITS, "numbers of a group fit");

/* Range of times in a word: 2 years, of which 200 days are for clocks that go back. */
#define LATEST    ((UINT64_C(1) << (64 - NUMBER_BITS)) - 2)
#define HAS_ENDED (LATEST + 1)
#define BACK_NS   (INT64_C(1) << 54)

static uint64_t word_of(const struct recorder_order *o, uint32_t number)
{
	uint64_t since = HAS_ENDED;
	if (o->rank[number] != NULL) {
		const int64_t start_ns = o->rank[number]->coming.start_ns;
		since = start_ns < o->base_ns ? 0 : (uint64_t)start_ns - (uint64_t)o->base_ns;
		since = since < LATEST ? since : LATEST;
	}
	return since << NUMBER_BITS | number;
}

void recorder_order_add(struct recorder_order *o, struct recorder_rank *k)
{
	o->rank[o->count++] = k;
	o->open++;
}

static int64_t base_of(const struct recorder_order *o)
{
	int64_t first_ns = INT64_MAX;
	for (uint32_t i = 0; i < o->count; i++)
		if (o->rank[i]->coming.start_ns < first_ns)
			first_ns = o->rank[i]->coming.start_ns;
	return first_ns < INT64_MIN + BACK_NS ? INT64_MIN : first_ns - BACK_NS;
}

void recorder_order_begin(struct recorder_order *o)
{
	uint64_t winner[2 * RECORDER_GROUP_RANKS];
	for (o->leaves = 1; o->leaves < o->count; o->leaves *= 2)
		;
	o->base_ns = base_of(o);
	for (uint32_t i = o->count; i < o->leaves; i++)
		o->rank[i] = NULL;
	for (uint32_t i = 0; i < o->leaves; i++)
		winner[o->leaves + i] = word_of(o, i);
	for (uint32_t match = o->leaves - 1; match > 0; match--) {
		const uint64_t a = winner[2 * match], b = winner[2 * match + 1];
		winner[match] = a < b ? a : b;
		o->loser[match] = a < b ? b : a;
	}
	o->first = winner[1] & ((1U << NUMBER_BITS) - 1);
}

void recorder_order_moved(struct recorder_order *o)
{
	uint64_t winner = word_of(o, o->first);
	for (uint32_t match = (o->leaves + o->first) / 2; match > 0; match /= 2) {
		const uint64_t other = o->loser[match];
		o->loser[match] = other > winner ? other : winner;
		winner = other > winner ? winner : other;
	}
	o->first = winner & ((1U << NUMBER_BITS) - 1);
}

void recorder_order_ended(struct recorder_order *o)
{
	o->rank[o->first] = NULL;
	if (--o->open > 0)
		recorder_order_moved(o);
	else
		o->count = 0;
}
