/* SPDX-License-Identifier: BSD-2-Clause */
#include "row_sums.h"

#include "lib/analyze/containers/interval.h"
#include "lib/analyze/containers/saturate.h"
#include "lib/base/text.h"

struct row_operation row_operation_of(const struct op *op, bool synchronous)
{
	const struct iot_event *ev = op->ev;
	const bool timed = (ev->has & IOT_HAS_TIME) != 0, sized = op->sized && !op->failed;
	const bool cuts = op->opens ? op->size == 0 : text_equals(op->name, "truncate");
	return (struct row_operation){.calls = op->calls,
				      .kind = op->kind,
				      .synchronous = synchronous,
				      .cuts = sized && cuts,
				      .existed = sized && op->opens ? op->size : 0,
				      .opens = op->opens,
				      .closes = op->closes,
				      .timed = timed,
				      .has_end = timed && (ev->has & IOT_HAS_TOOK) != 0,
				      .start_ns = ev->rec.start_ns,
				      .duration_ns = ev->rec.duration_ns};
}

struct row_sums row_sums_of_operation(const struct row_operation *op)
{
	const uint64_t ns = op->has_end ? op->duration_ns : 0;
	return (struct row_sums){.count = {[ROW_OPERATIONS] = op->calls},
				 .untimed = {[ROW_OPERATIONS] = op->has_end ? 0 : op->calls},
				 .ns = {[ROW_OPERATIONS] = ns},
				 .opens = op->opens,
				 .closes = op->closes,
				 .timed = op->timed,
				 .first_ns = op->start_ns,
				 .last_ns = interval_end(op->start_ns, ns)};
}

void row_sums_add(struct row_sums *to, const struct row_sums *from)
{
	for (unsigned kind = 0; kind < ROW_KINDS; kind++) {
		to->count[kind] += from->count[kind];
		to->untimed[kind] += from->untimed[kind];
		to->ns[kind] = saturate_add(to->ns[kind], from->ns[kind]);
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

uint64_t row_duration(const struct row_sums *s, bool operations)
{
	const uint64_t io = saturate_add(s->ns[ROW_READS], s->ns[ROW_WRITES]);
	return operations ? saturate_add(io, s->ns[ROW_OPERATIONS]) : io;
}
