/* SPDX-License-Identifier: BSD-2-Clause */
#include "rows.h"

#include <stdlib.h>

#include "lib/analyze/containers/interval.h"
#include "lib/analyze/containers/saturate.h"
#include "lib/base/array.h"

#include "statistic.h"

static void count_syncs(struct row_pair *to, uint64_t syncs)
{
	to->syncs = syncs < UINT32_MAX - to->syncs ? to->syncs + (uint32_t)syncs : UINT32_MAX;
}

static void note_size(struct row_pair *to, uint64_t size)
{
	to->existed = size > to->existed ? size : to->existed;
}

/* The sums are added before. */
static void extend(struct row_pair *to, const struct row_pair *from)
{
	to->small[0] += from->small[0];
	to->small[1] += from->small[1];
	if (to->sums.count[ROW_WRITES] == from->sums.count[ROW_WRITES])
		note_size(to, from->existed);
	to->synchronous |= from->synchronous;
	to->unaligned += from->unaligned;
	to->open_ns = saturate_add(to->open_ns, from->open_ns);
	to->sync_ns = saturate_add(to->sync_ns, from->sync_ns);
	count_syncs(to, from->syncs);
	to->wait_ns = saturate_add(to->wait_ns, from->wait_ns);
	if (from->cut) {
		to->written_at_cut = to->sums.bytes[1] - from->sums.bytes[1] + from->written_at_cut;
		to->rewritten = from->rewritten;
	}
	to->cut |= from->cut;
	if (!from->located)
		return;
	to->low = to->located && to->low < from->low ? to->low : from->low;
	to->high = to->located && to->high > from->high ? to->high : from->high;
	to->located = true;
}

/* Requests */

static inline struct row_sums sum_span(const struct io_span *span)
{
	struct row_sums s = {.first_ns = span->first_ns,
			     .last_ns = span->last_ns,
			     .timed = (span->flags & IOT_START_UNKNOWN) == 0};
	for (unsigned d = 0; d < 2; d++) {
		s.count[d] = span->of[d].count;
		s.untimed[d] = span_is_timed(span) ? 0 : span->of[d].count;
		s.ns[d] = span->of[d].duration_ns;
		s.bytes[d] = span->of[d].bytes;
	}
	return s;
}

static inline void count_small(const struct io_span *span, uint64_t small, uint64_t to[2])
{
	for (unsigned d = 0; d < 2 && span->same_length; d++)
		to[d] = span->length[0] <= small ? span->of[d].count : 0;
	for (size_t i = 0; i < span->count && !span->same_length; i++)
		to[span->write[i]] += span->length[i] <= small;
}

/* Returns the number of writes that do not begin at the beginning of a block. */
static inline uint64_t count_unaligned(const struct io_span *span, uint64_t alignment)
{
	uint64_t n = 0;
	if (span->of[1].count == 0 || !span_is_located(span) || alignment == 0)
		return 0;
	if ((alignment & (alignment - 1)) == 0)
		for (size_t i = 0; i < span->count; i++)
			n += span->write[i] & ((span->offset[i] & (alignment - 1)) != 0);
	else
		for (size_t i = 0; i < span->count; i++)
			n += span->write[i] && span->offset[i] % alignment != 0;
	return n;
}

static struct row_pair pair_of_span(const struct io_span *span, const struct rows *r)
{
	struct row_pair p = {.sums = sum_span(span),
			     .low = span->low,
			     .high = span->extent,
			     .located = span_is_located(span),
			     .unaligned = count_unaligned(span, r->alignment)};
	count_small(span, r->small, p.small);
	return p;
}

bool rows_add(struct rows *r, const struct io_spans *spans)
{
	for (size_t i = 0; i < spans->count; i++) {
		const struct io_span *span = &spans->span[i];
		SPANS_AHEAD(spans, i, pair, r->pairs, r->pair_capacity);
		SPANS_AHEAD(spans, i, process, r->processes, r->process_capacity);
		if (!array_reserve_index(&r->pairs, &r->pair_capacity, span->pair,
					 sizeof *r->pairs) ||
		    !array_reserve_index(&r->processes, &r->process_capacity, span->process,
					 sizeof *r->processes))
			return false;
		const struct row_pair p = pair_of_span(span, r);
		row_sums_add(&r->processes[span->process], &p.sums);
		row_sums_add(&r->pairs[span->pair].sums, &p.sums);
		extend(&r->pairs[span->pair], &p);
	}
	return busy_add(&r->busy, spans);
}

/* Operations */

static void add_to_pair(struct row_pair *p, const struct row_operation *op)
{
	const uint64_t ns = op->has_end ? op->duration_ns : 0;
	if (p->sums.count[ROW_WRITES] == 0)
		note_size(p, op->existed);
	p->synchronous |= op->synchronous;
	if (op->kind == OPERATION_OPEN)
		p->open_ns = saturate_add(p->open_ns, ns);
	else if (op->kind == OPERATION_SYNC) {
		p->sync_ns = saturate_add(p->sync_ns, ns);
		count_syncs(p, op->calls);
	} else if (op->kind == OPERATION_LOCK || op->kind == OPERATION_DIRECTORY)
		p->wait_ns = saturate_add(p->wait_ns, ns);
	if (op->cuts) {
		p->cut = true;
		p->rewritten = op->opens > 0;
		p->written_at_cut = p->sums.bytes[1];
	}
}

bool rows_add_operation(struct rows *r, struct request_operation numbers,
			const struct row_operation *op)
{
	const struct row_sums s = row_sums_of_operation(op);
	if (numbers.process != SIZE_MAX) {
		if (!array_reserve_index(&r->processes, &r->process_capacity, numbers.process,
					 sizeof *r->processes))
			return false;
		row_sums_add(&r->processes[numbers.process], &s);
	}
	if (numbers.pair == SIZE_MAX)
		return true;
	if (!array_reserve_index(&r->pairs, &r->pair_capacity, numbers.pair, sizeof *r->pairs))
		return false;
	row_sums_add(&r->pairs[numbers.pair].sums, &s);
	add_to_pair(&r->pairs[numbers.pair], op);
	return !op->has_end || busy_add_op(&r->busy, numbers.pair, op->start_ns, op->duration_ns);
}

/* Parts */

static bool join_sums(struct rows *r, const struct rows *part, const uint32_t *process,
		      const uint32_t *pair)
{
	for (size_t i = 0; i < part->process_capacity; i++) {
		if (row_calls(&part->processes[i]) == 0)
			continue;
		if (!array_reserve_index(&r->processes, &r->process_capacity, process[i],
					 sizeof *r->processes))
			return false;
		row_sums_add(&r->processes[process[i]], &part->processes[i]);
	}
	for (size_t i = 0; i < part->pair_capacity; i++) {
		if (row_calls(&part->pairs[i].sums) == 0)
			continue;
		if (!array_reserve_index(&r->pairs, &r->pair_capacity, pair[i], sizeof *r->pairs))
			return false;
		row_sums_add(&r->pairs[pair[i]].sums, &part->pairs[i].sums);
		extend(&r->pairs[pair[i]], &part->pairs[i]);
	}
	return true;
}

bool rows_join(struct rows *r, struct rows *part, const uint32_t *process, const uint32_t *pair)
{
	return join_sums(r, part, process, pair) && busy_join(&r->busy, &part->busy, pair);
}

bool rows_add_trace(struct rows *r, struct rows *more, const uint32_t *process,
		    const uint32_t *pair)
{
	return join_sums(r, more, process, pair) && busy_add_trace(&r->busy, &more->busy, pair);
}

static void free_all(void *of)
{
	struct rows *r = of;
	free(r->pairs);
	free(r->processes);
	busy_free(&r->busy);
}

/* The statistic */

static void init(void *of, const struct iot_analyze_options *o)
{
	struct rows *r = of;
	r->busy.part = o->part != 0;
	r->busy.by_pair = true;
	r->small = o->small;
	r->alignment = o->alignment;
}

static bool add_batch(void *of, const struct statistic_batch *b)
{
	return rows_add(of, &b->grouped);
}

static bool act(void *of, const struct statistic_action *a)
{
	return a->kind != ACTION_OPERATION || rows_add_operation(of, a->numbers, &a->operation);
}

static bool join(void *of, void *part, const struct statistic_map *map)
{
	((struct rows *)part)->busy.out_of_order = map->numbers->out_of_order;
	return rows_join(of, part, map->numbers->process, map->numbers->pair);
}

static bool add_trace(void *of, void *more, const struct statistic_map *map)
{
	return rows_add_trace(of, more, map->numbers->process, map->numbers->pair);
}

static void forget(void *of)
{
	busy_forget(&((struct rows *)of)->busy);
}

static void shift_sums(struct row_sums *s, uint64_t by)
{
	s->first_ns = interval_end(s->first_ns, by);
	s->last_ns = interval_end(s->last_ns, by);
}

static void shift(void *of, uint64_t by)
{
	struct rows *r = of;
	for (size_t i = 0; i < r->process_capacity; i++)
		shift_sums(&r->processes[i], by);
	for (size_t i = 0; i < r->pair_capacity; i++)
		shift_sums(&r->pairs[i].sums, by);
}

static void sample(void *of, const struct sample_kept *k)
{
	struct rows *r = of;
	struct busy *b = &r->busy;
	for (size_t i = 0; i < k->pairs; i++)
		if (k->pair[i] == UINT32_MAX)
			busy_free_head(b, i);
	SAMPLE_KEEP(r->pairs, r->pair_capacity, k->pair, k->pairs);
	SAMPLE_KEEP(b->processes, b->capacity, k->pair, k->pairs);
	SAMPLE_KEEP(b->heads, b->head_capacity, k->pair, k->pairs);
}

const struct statistic rows_statistic = {
    .sections = REQUESTS_ROWS,
    .init = init,
    .add = add_batch,
    .act = act,
    .join = join,
    .add_trace = add_trace,
    .forget = forget,
    .shift = shift,
    .sample = sample,
    .state = rows_state,
    .free = free_all,
};
