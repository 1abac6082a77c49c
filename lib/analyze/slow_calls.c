/* SPDX-License-Identifier: BSD-2-Clause */
#include "slow_calls.h"

#include <stdlib.h>

#include "lib/analyze/containers/saturate.h"
#include "lib/base/array.h"

#include "state.h"
#include "statistic.h"

enum { SLOW_OPEN = 2 };

void slow_sum_add(struct slow_sum *to, const struct slow_sum *from)
{
	for (unsigned i = 0; i < 3; i++) {
		to->calls[i] += from->calls[i];
		to->ns[i] = saturate_add(to->ns[i], from->ns[i]);
	}
	to->max_ns = to->max_ns > from->max_ns ? to->max_ns : from->max_ns;
}

const struct slow_sum *slow_calls_of(const struct slow_calls *c, size_t pair)
{
	return pair < c->pair_capacity && c->pairs[pair].max_ns > 0 ? &c->pairs[pair] : NULL;
}

static struct slow_sum *sum_of(struct slow_calls *c, size_t pair)
{
	if (pair == SIZE_MAX)
		return &c->other;
	return array_reserve_index(&c->pairs, &c->pair_capacity, pair, sizeof *c->pairs)
		   ? &c->pairs[pair]
		   : NULL;
}

static bool count(struct slow_calls *c, size_t pair, unsigned kind, uint64_t ns)
{
	struct slow_sum *to = sum_of(c, pair), one = {.max_ns = ns};
	one.calls[kind] = 1;
	one.ns[kind] = ns;
	if (to != NULL)
		slow_sum_add(to, &one);
	return to != NULL;
}

static bool is_slow(uint64_t ns, uint64_t bytes)
{
	return ns >= SLOW_CALL_NS_MIN && ns / SLOW_CALL_NS_PER_BYTE >= bytes;
}

static bool add_span(struct slow_calls *c, const struct io_span *span)
{
	for (size_t i = 0; i < span->count; i++)
		if (is_slow(span_duration(span, i), span->length[i]) &&
		    !count(c, span->pair, span->write[i], span_duration(span, i)))
			return false;
	return true;
}

/* Looks at single calls only if the sum of a span is long enough for a slow call. */
static bool add(void *of, const struct statistic_batch *b)
{
	for (size_t i = 0; i < b->grouped.count; i++) {
		const struct io_span *span = &b->grouped.span[i];
		const uint64_t ns = saturate_add(span->of[0].duration_ns, span->of[1].duration_ns);
		if (ns >= SLOW_CALL_NS_MIN && span_is_timed(span) && !span->asynchronous &&
		    !add_span(of, span))
			return false;
	}
	return true;
}

/* Other operations, such as syncs, locks and lookups, have causes of their own. */
static bool act(void *of, const struct statistic_action *a)
{
	const struct row_operation *op = &a->operation;
	return a->kind != ACTION_OPERATION || !op->has_end || op->kind != OPERATION_OPEN ||
	       !is_slow(op->duration_ns, 0) ||
	       count(of, a->numbers.pair, SLOW_OPEN, op->duration_ns);
}

static bool join_sums(struct slow_calls *c, const struct slow_calls *part, const uint32_t *pair)
{
	for (size_t i = 0; i < part->pair_capacity; i++) {
		const struct slow_sum *from = slow_calls_of(part, i);
		struct slow_sum *to = from != NULL ? sum_of(c, pair[i]) : NULL;
		if (from != NULL && to == NULL)
			return false;
		if (to != NULL)
			slow_sum_add(to, from);
	}
	slow_sum_add(&c->other, &part->other);
	return true;
}

static bool join(void *of, void *part, const struct statistic_map *map)
{
	return join_sums(of, part, map->numbers->pair);
}

static void sample(void *of, const struct sample_kept *k)
{
	struct slow_calls *c = of;
	if (c->pair_capacity > 0)
		SAMPLE_KEEP(c->pairs, c->pair_capacity, k->pair, k->pairs);
}

static void sum_columns(struct state *s, struct slow_sum *sum)
{
	static const char *const calls[3] = {"n_r", "n_w", "n_open"}, *const ns[3] = {"ns_r",
										      "ns_w",
										      "ns_open"};
	for (unsigned i = 0; i < 3; i++) {
		state_number(s, calls[i], &sum->calls[i]);
		state_number(s, ns[i], &sum->ns[i]);
	}
	state_number(s, "max", &sum->max_ns);
}

static void state(struct state *s, void *of, const struct requests *requests)
{
	(void)requests;
	struct slow_calls *c = of;
	size_t i;
	while (state_each(s, "slow.other", 1, &i))
		sum_columns(s, &c->other);
	while (state_each(s, "slow.pair", s->pairs.count, &i)) {
		struct slow_sum *sum =
		    state_at(s, &c->pairs, &c->pair_capacity, s->pairs.own[i], sizeof *c->pairs);
		if (sum == NULL)
			return;
		sum_columns(s, sum);
	}
}

/* The statistic */

static void free_all(void *of)
{
	free(((struct slow_calls *)of)->pairs);
}

const struct statistic slow_calls_statistic = {
    .sections = IOT_ANALYZE_FINDINGS,
    .add = add,
    .act = act,
    .join = join,
    .add_trace = join,
    .sample = sample,
    .state = state,
    .free = free_all,
};
