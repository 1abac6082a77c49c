/* SPDX-License-Identifier: BSD-2-Clause */
#include "rows.h"

#include <stdlib.h>

#include "lib/base/array.h"
#include "lib/base/number.h"
#include "lib/format/directive.h"

#include "interval.h"
#include "saturate.h"

/* Sums */

void row_sums_add(struct row_sums *to, const struct row_sums *from)
{
	for (unsigned kind = 0; kind < ROW_KINDS; kind++) {
		to->count[kind] += from->count[kind];
		to->untimed[kind] += from->untimed[kind];
	}
	to->bytes[0] = saturate_add(to->bytes[0], from->bytes[0]);
	to->bytes[1] = saturate_add(to->bytes[1], from->bytes[1]);
	to->opens += from->opens;
	to->closes += from->closes;
	if (!from->timed)
		return;
	to->first_ns = to->timed && to->first_ns < from->first_ns ? to->first_ns : from->first_ns;
	to->last_ns = to->timed && to->last_ns > from->last_ns ? to->last_ns : from->last_ns;
	to->timed = true;
}

uint64_t row_requests(const struct row_sums *s)
{
	return s->count[ROW_READS] + s->count[ROW_WRITES];
}

uint64_t row_calls(const struct row_sums *s)
{
	return row_requests(s) + s->count[ROW_OPERATIONS];
}

uint64_t row_bytes(const struct row_sums *s)
{
	return saturate_add(s->bytes[0], s->bytes[1]);
}

static void extend(struct row_pair *to, const struct row_pair *from)
{
	to->small[0] += from->small[0];
	to->small[1] += from->small[1];
	to->existed |= from->existed;
	to->synchronous |= from->synchronous;
	to->unaligned += from->unaligned;
	to->open_ns = saturate_add(to->open_ns, from->open_ns);
	to->sync_ns = saturate_add(to->sync_ns, from->sync_ns);
	to->wait_ns = saturate_add(to->wait_ns, from->wait_ns);
	if (from->cut)
		to->written_at_cut = to->sums.bytes[1] - from->sums.bytes[1] + from->written_at_cut;
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

static bool succeeded(const struct iot_event *op)
{
	const struct iot_text result = iot_directive_get(op, "result");
	return result.data == NULL || text_equals(result, "0");
}

struct row_operation row_operation_of(const struct iot_event *ev, bool synchronous)
{
	const struct iot_text name = iot_directive_get(ev, "name"),
			      size = iot_directive_get(ev, "size");
	const bool good = succeeded(ev), timed = (ev->has & IOT_HAS_TIME) != 0,
		   opens = directive_opens(ev);
	uint64_t bytes = 0;
	const bool sized =
	    good && size.data != NULL && number_decimal(size.data, size.size, &bytes);
	return (struct row_operation){.kind = operation_kind_of(name, !good),
				      .synchronous = synchronous,
				      .cuts = sized &&
					      (opens ? bytes == 0 : text_equals(name, "truncate")),
				      .existed = sized && opens && bytes > 0,
				      .opens = opens,
				      .closes = good && text_equals(name, "close"),
				      .timed = timed,
				      .has_end = timed && (ev->has & IOT_HAS_TOOK) != 0,
				      .start_ns = ev->rec.start_ns,
				      .duration_ns = ev->rec.duration_ns};
}

static struct row_sums sum_operation(const struct row_operation *op)
{
	return (struct row_sums){.count = {[ROW_OPERATIONS] = 1},
				 .untimed = {[ROW_OPERATIONS] = !op->has_end},
				 .opens = op->opens,
				 .closes = op->closes,
				 .timed = op->timed,
				 .first_ns = op->start_ns,
				 .last_ns =
				     interval_end(op->start_ns, op->has_end ? op->duration_ns : 0)};
}

static void add_to_pair(struct row_pair *p, const struct row_operation *op)
{
	const uint64_t ns = op->has_end ? op->duration_ns : 0;
	p->existed |= op->existed;
	p->synchronous |= op->synchronous;
	if (op->kind == OPERATION_OPEN)
		p->open_ns = saturate_add(p->open_ns, ns);
	else if (op->kind == OPERATION_SYNC)
		p->sync_ns = saturate_add(p->sync_ns, ns);
	else if (op->kind == OPERATION_LOCK || op->kind == OPERATION_DIRECTORY)
		p->wait_ns = saturate_add(p->wait_ns, ns);
	if (op->cuts) {
		p->cut = true;
		p->written_at_cut = p->sums.bytes[1];
	}
}

bool rows_add_operation(struct rows *r, struct request_operation numbers,
			const struct row_operation *op)
{
	const struct row_sums s = sum_operation(op);
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

bool rows_join(struct rows *r, const struct rows *part, const uint32_t *process,
	       const uint32_t *pair)
{
	return join_sums(r, part, process, pair) && busy_join(&r->busy, &part->busy, pair);
}

bool rows_add_trace(struct rows *r, const struct rows *more, const uint32_t *process,
		    const uint32_t *pair)
{
	return join_sums(r, more, process, pair) && busy_add_trace(&r->busy, &more->busy, pair);
}

void rows_free(struct rows *r)
{
	free(r->pairs);
	free(r->processes);
	busy_free(&r->busy);
}
