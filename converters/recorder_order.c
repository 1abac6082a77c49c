/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which rank of a group goes on: a tree of matches by start of the next call, then by number, so
 * that the order does not depend on chance. Each match remembers who has lost it, so that a new
 * call is only played up its own path, and nobody can foretell who wins: there are no branches.
 */
#include "recorder.h"

#define HAS_ENDED INT64_MAX

static bool is_before(const struct recorder_order *o, uint32_t a, uint32_t b)
{
	const int64_t of_a = o->start_ns[a], of_b = o->start_ns[b];
	return (of_a < of_b) | ((of_a == of_b) & (a < b));
}

void iot_recorder_order_add(struct recorder_order *o, struct recorder_rank *k)
{
	o->rank[o->count++] = k;
	o->open++;
}

static int64_t key(const struct recorder_rank *k)
{
	return k->call.start_ns < HAS_ENDED ? k->call.start_ns : HAS_ENDED - 1;
}

void iot_recorder_order_begin(struct recorder_order *o)
{
	uint32_t winner[2 * RECORDER_GROUP_RANKS];
	for (o->leaves = 1; o->leaves < o->count; o->leaves *= 2)
		;
	for (uint32_t i = 0; i < o->leaves; i++) {
		o->start_ns[i] = i < o->count ? key(o->rank[i]) : HAS_ENDED;
		winner[o->leaves + i] = i;
	}
	for (uint32_t match = o->leaves - 1; match > 0; match--) {
		const uint32_t a = winner[2 * match], b = winner[2 * match + 1];
		const bool first = is_before(o, a, b);
		winner[match] = first ? a : b;
		o->loser[match] = (uint8_t)(first ? b : a);
	}
	o->first = winner[1];
}

void iot_recorder_order_moved(struct recorder_order *o)
{
	uint32_t winner = o->first;
	struct recorder_rank *k = o->rank[winner];
	o->start_ns[winner] = k != NULL ? key(k) : HAS_ENDED;
	for (uint32_t match = (o->leaves + winner) / 2; match > 0; match /= 2) {
		const uint32_t other = o->loser[match];
		const bool beaten = is_before(o, other, winner);
		o->loser[match] = (uint8_t)(beaten ? winner : other);
		winner = beaten ? other : winner;
	}
	o->first = winner;
}

void iot_recorder_order_ended(struct recorder_order *o)
{
	o->rank[o->first] = NULL;
	if (--o->open > 0)
		iot_recorder_order_moved(o);
	else
		o->count = 0;
}
