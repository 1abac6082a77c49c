/* SPDX-License-Identifier: BSD-2-Clause */
#include "busy.h"

#include <stdlib.h>
#include <string.h>

#include "lib/analyze/containers/interval.h"
#include "lib/analyze/containers/saturate.h"
#include "lib/analyze/statistic.h"
#include "lib/base/array.h"

static inline bool add_head(struct busy *b, size_t row, enum busy_kind kind,
			    struct busy_interval interval)
{
	return (row < b->head_capacity && b->heads[row][kind].more) ||
	       busy_add_head(b, row, kind, interval);
}

static bool extend(struct busy *b, size_t process, enum busy_kind kind, int64_t start, int64_t end)
{
	struct busy_process *p = &b->processes[process];
	const int64_t from = start > p->of[kind].end_ns ? start : p->of[kind].end_ns;
	if (end <= from)
		return true;
	p->of[kind].ns += (uint64_t)(end - from);
	p->of[kind].end_ns = end;
	return !b->part || add_head(b, process, kind, (struct busy_interval){from, end});
}

static size_t index_of(const struct busy *b, const struct io_span *span)
{
	return b->by_pair ? span->pair : span->process;
}

static enum busy_kind kind_of(unsigned write)
{
	return write ? BUSY_WRITE : BUSY_READ;
}

/* The end of the last request of a direction. */
static inline int64_t last_end(const struct io_span *span, bool write)
{
	size_t i = span->count - 1;
	while (span->write[i] != write)
		i--;
	return span->end_ns[i];
}

static inline void add_time(struct busy_process *p, enum busy_kind kind, uint64_t ns,
			    int64_t end_ns)
{
	p->of[kind].ns += ns;
	p->of[kind].end_ns = end_ns;
}

/* Requests of which none overlaps with another, or with anything before. */
static inline void add_disjoint(struct busy_process *p, const struct io_span *span, bool by_pair)
{
	const uint64_t ns = span->of[0].duration_ns + span->of[1].duration_ns;
	const int64_t end_ns = span_end(span);
	for (unsigned d = 0; d < 2; d++)
		if (span->of[d].count > 0)
			add_time(p, kind_of(d), span->of[d].duration_ns, last_end(span, d));
	add_time(p, BUSY_IO, ns, end_ns);
	if (!by_pair)
		add_time(p, BUSY_ALL, ns, end_ns);
}

static bool add_overlapping(struct busy *b, const struct io_span *span)
{
	const size_t at = index_of(b, span);
	bool added = true;
	for (size_t i = 0; i < span->count && added; i++) {
		const int64_t from = span->start_ns[i], end = span->end_ns[i];
		added = extend(b, at, kind_of(span->write[i]), from, end) &&
			extend(b, at, BUSY_IO, from, end) &&
			(b->by_pair || extend(b, at, BUSY_ALL, from, end));
	}
	return added;
}

/* Adds disjoint requests to the heads of a part. */
static bool add_to_heads(struct busy *b, size_t at, const struct io_span *span)
{
	bool added = true;
	for (size_t i = 0; i < span->count && added; i++) {
		const struct busy_interval in = {span->start_ns[i], span->end_ns[i]};
		added = in.to_ns <= in.from_ns || (add_head(b, at, kind_of(span->write[i]), in) &&
						   add_head(b, at, BUSY_IO, in) &&
						   (b->by_pair || add_head(b, at, BUSY_ALL, in)));
	}
	return added;
}

static inline bool add_span(struct busy *b, const struct io_span *span)
{
	const enum busy_kind widest = b->by_pair ? BUSY_IO : BUSY_ALL; /* includes the others */
	const size_t at = index_of(b, span);
	struct busy_process *p = &b->processes[at];
	if (!span->disjoint || span->start_ns[0] < p->of[widest].end_ns ||
	    span_end(span) == INT64_MAX)
		return add_overlapping(b, span);
	add_disjoint(p, span, b->by_pair);
	return !b->part || add_to_heads(b, at, span);
}

bool busy_add(struct busy *b, const struct io_spans *spans)
{
	for (size_t i = 0; i < spans->count; i++) {
		const struct io_span *span = &spans->span[i];
		if (i + AHEAD_STEPS < spans->count)
			ahead_element(b->processes, b->capacity, index_of(b, span + AHEAD_STEPS),
				      sizeof *b->processes);
		if (span->asynchronous || !span_is_timed(span))
			continue;
		if (!array_reserve_index(&b->processes, &b->capacity, index_of(b, span),
					 sizeof *b->processes) ||
		    !add_span(b, span))
			return false;
	}
	return true;
}

void busy_count_op(struct busy *b, bool timed)
{
	b->operations++;
	b->timed_operations += timed;
}

bool busy_operations_untimed(const struct busy *b)
{
	return b->operations > 0 && b->timed_operations == 0;
}

bool busy_add_op(struct busy *b, size_t process, int64_t start_ns, uint64_t duration_ns)
{
	const int64_t end = interval_end(start_ns, duration_ns);
	return array_reserve_index(&b->processes, &b->capacity, process, sizeof *b->processes) &&
	       extend(b, process, BUSY_METADATA, start_ns, end) &&
	       (b->by_pair || extend(b, process, BUSY_ALL, start_ns, end));
}

void busy_free_head(struct busy *b, size_t row)
{
	for (unsigned kind = 0; kind < BUSY_KINDS && row < b->head_capacity; kind++)
		free(b->heads[row][kind].interval);
}

static void free_heads(struct busy *b)
{
	for (size_t i = 0; i < b->head_capacity; i++)
		busy_free_head(b, i);
	free(b->heads);
	b->heads = NULL;
	b->head_capacity = 0;
	memset(b->intervals, 0, sizeof b->intervals);
}

/* Parts */

/* The head of a part continues the head of an earlier part. */
static bool join_head(struct busy *b, size_t process, enum busy_kind kind,
		      const struct busy_head *part, int64_t end_ns)
{
	for (size_t i = 0; i < part->count; i++) {
		struct busy_interval in = part->interval[i];
		in.from_ns = in.from_ns > end_ns ? in.from_ns : end_ns;
		if (in.from_ns < in.to_ns && !add_head(b, process, kind, in))
			return false;
	}
	b->heads[process][kind].more |= part->more;
	return true;
}

/* Returns the heads of a row, which are empty if it has no intervals. */
static const struct busy_head *heads_of(const struct busy *b, size_t row)
{
	static const struct busy_head none[BUSY_KINDS];
	return row < b->head_capacity ? b->heads[row] : none;
}

static bool join_kind(struct busy *b, size_t process, enum busy_kind kind, const struct busy *part,
		      size_t from)
{
	const struct busy_head *head = &heads_of(part, from)[kind];
	uint64_t *ns = &b->processes[process].of[kind].ns;
	int64_t *end_ns = &b->processes[process].of[kind].end_ns;
	const int64_t part_end = part->processes[from].of[kind].end_ns;
	const uint64_t counted = busy_head_ns(head, *end_ns), /* already */
	    added = part->processes[from].of[kind].ns;
	b->inexact[kind] |= busy_known_ns(head) < *end_ns;
	*ns = saturate_add(*ns, added - (counted < added ? counted : added));
	if (b->part &&
	    (!array_reserve_index(&b->heads, &b->head_capacity, process, sizeof *b->heads) ||
	     !join_head(b, process, kind, head, *end_ns)))
		return false;
	*end_ns = part_end > *end_ns ? part_end : *end_ns;
	return true;
}

static bool join_row(struct busy *b, size_t to, const struct busy *part, size_t i)
{
	if (!array_reserve_index(&b->processes, &b->capacity, to, sizeof *b->processes))
		return false;
	for (unsigned kind = 0; kind < BUSY_KINDS; kind++)
		if (!join_kind(b, to, kind, part, i))
			return false;
	return true;
}

static bool has_time(const struct busy *b, size_t row)
{
	return b->processes[row].of[BUSY_IO].ns > 0 || b->processes[row].of[BUSY_METADATA].ns > 0;
}

/* Rows of the part that are one row of b become one of the part; first: by row of b, + 1. */
static bool unite_rows(struct busy *part, const uint32_t *number)
{
	uint32_t *first = NULL;
	size_t capacity = 0;
	bool united = true;
	memset(part->intervals, 0, sizeof part->intervals);
	for (size_t i = 0; i < part->capacity && united; i++) {
		if (!has_time(part, i))
			continue;
		united = array_reserve_index(&first, &capacity, number[i], sizeof *first);
		if (united && first[number[i]] != 0)
			united = busy_unite_rows(part, first[number[i]] - 1, i);
		else if (united)
			first[number[i]] = (uint32_t)i + 1;
	}
	free(first);
	return united;
}

bool busy_join(struct busy *b, struct busy *part, const uint32_t *number)
{
	b->operations = saturate_add(b->operations, part->operations);
	b->timed_operations = saturate_add(b->timed_operations, part->timed_operations);
	if (!unite_rows(part, number))
		return false;
	for (unsigned kind = 0; kind < BUSY_KINDS; kind++)
		b->inexact[kind] |= part->inexact[kind];
	for (size_t i = 0; i < part->capacity; i++)
		if (has_time(part, i) && !join_row(b, number[i], part, i))
			return false;
	return true;
}

/* Rows in both parts: their intervals may overlap. */
static void find_common(struct busy *b, const struct busy *more, const uint32_t *number)
{
	for (size_t i = 0; i < more->capacity; i++)
		for (unsigned kind = 0; kind < BUSY_KINDS; kind++) {
			const size_t to = more->processes[i].of[kind].ns > 0 ? number[i] : SIZE_MAX;
			b->inexact[kind] |= to < b->capacity && b->processes[to].of[kind].ns > 0;
		}
}

bool busy_add_trace(struct busy *b, struct busy *more, const uint32_t *number)
{
	find_common(b, more, number);
	return busy_join(b, more, number);
}

void busy_forget(struct busy *b)
{
	for (size_t i = 0; i < b->capacity; i++)
		for (unsigned kind = 0; kind < BUSY_KINDS; kind++)
			b->processes[i].of[kind].end_ns = 0;
	free_heads(b);
	b->part = false;
}

uint64_t busy_sum(const struct busy *b, enum busy_kind kind)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < b->capacity; i++)
		sum = saturate_add(sum, b->processes[i].of[kind].ns);
	return sum;
}

uint64_t busy_max(const struct busy *b, enum busy_kind kind)
{
	uint64_t max = 0;
	for (size_t i = 0; i < b->capacity; i++)
		max = b->processes[i].of[kind].ns > max ? b->processes[i].of[kind].ns : max;
	return max;
}

void busy_free(struct busy *b)
{
	free_heads(b);
	free(b->processes);
}

/* The statistic */

static void init(void *of, const struct iot_analyze_options *o)
{
	((struct busy *)of)->part = o->part != 0;
}

static bool add_batch(void *of, const struct statistic_batch *b)
{
	return busy_add(of, &b->by_process);
}

static bool act(void *of, const struct statistic_action *a)
{
	const struct row_operation *op = &a->operation;
	if (a->kind != ACTION_OPERATION)
		return true;
	busy_count_op(of, op->has_end);
	return !op->has_end || busy_add_op(of, a->numbers.process, op->start_ns, op->duration_ns);
}

static bool join(void *of, void *part, const struct statistic_map *map)
{
	struct busy *b = of, *p = part;
	p->out_of_order = map->numbers->out_of_order;
	return busy_join(b, p, map->numbers->process);
}

static bool add_trace(void *of, void *more, const struct statistic_map *map)
{
	return busy_add_trace(of, more, map->numbers->process);
}

static void forget(void *of)
{
	busy_forget(of);
}

static void state(struct state *s, void *of, const struct requests *r)
{
	(void)r;
	busy_state(s, of);
}

static void free_all(void *of)
{
	busy_free(of);
}

const struct statistic busy_statistic = {
    .sections = NEED_BUSY,
    .init = init,
    .add = add_batch,
    .act = act,
    .join = join,
    .add_trace = add_trace,
    .forget = forget,
    .state = state,
    .free = free_all,
};
