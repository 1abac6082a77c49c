/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The requests of a batch in spans: in the order of the trace, by process, and by process and file.
 */
#include <assert.h>

#include "lib/analyze/containers/span_sums.h"
#include "lib/base/array.h"

#include "requests_internal.h"

/* Of requests of the same type and flags, and of one fileId; from: their indexes in the batch. */
static inline uint32_t span_length(const struct io_batch *b, const uint16_t *from, size_t n,
				   bool one_id)
{
	uint32_t i = 1;
	while (i < n && b->type_flags[from[i]] == b->type_flags[*from] &&
	       (!one_id || b->id_of[from[i]] == b->id_of[*from]))
		i++;
	return i;
}

/*
 * Appends a span of n requests, the first of which is `first` in the batch, and `at` in the view.
 */
static inline void append_span(struct io_view *v, const struct io_batch *b,
			       const struct io_columns *c, size_t at, size_t first, size_t n)
{
	const unsigned type_flags = b->type_flags[first];
	const struct io_id *id = &b->id[b->id_of[first]];
	struct io_span *s = &v->span[v->count++];
	s->process = id->process;
	s->stream = id->stream;
	s->file = id->file;
	s->pair = b->group[id->group].pair;
	s->flags = (uint8_t)type_flags;
	s->asynchronous = (type_flags >> 8 & IOT_ASYNC) != 0;
	s->same_length = s->disjoint = false;
	s->count = (uint32_t)n;
	s->offset = c->offset + at;
	s->length = c->length + at;
	s->start_ns = c->start_ns + at;
	s->end_ns = c->end_ns + at;
	s->write = c->write + at;
	s->id = b->id_of + at;
}

/* Appends all requests in the order of the trace. */
static void append_all(struct io_view *v, const struct io_batch *b)
{
	for (size_t i = 0, end; i < b->count; i = end) {
		for (end = b->differ == 0 ? b->count : i + 1;
		     end < b->count && b->type_flags[end] == b->type_flags[i];)
			end++;
		append_span(v, b, &b->in_trace, i, i, end - i);
	}
}

/*
 * Appends spans for requests[at .. at+n), all of one process or (process, file) pair. If one_id, a
 * span contains one fileId.
 */
static inline void append_spans(struct io_view *v, const struct io_batch *b,
				const struct io_columns *c, const uint16_t *from, size_t at,
				size_t n, bool one_id)
{
	const bool alike = b->differ == 0 && (!one_id || b->ids == b->group_count);
	for (size_t i = 0, length; i < n; i += length) {
		length = alike ? n : span_length(b, from + at + i, n - i, one_id);
		append_span(v, b, c, at + i, from[at + i], length);
	}
}

static void count_groups(struct io_batch *b)
{
	for (size_t g = 0; g < b->group_count; g++)
		b->group[g].count = 0;
	for (size_t i = 0; i < b->count; i++)
		b->group[b->id[b->id_of[i]].group].count++;
}

static bool has_one_process(const struct io_batch *b)
{
	size_t g = 1;
	while (g < b->group_count && b->group[g].process == b->group->process)
		g++;
	return g >= b->group_count;
}

static struct io_spans spans_of(const struct io_batch *b, const struct io_view *v)
{
	return (struct io_spans){v->span, v->count, b->id};
}

/* In the order of the trace, requests of one process are those by process. */
struct io_spans requests_in_order(struct requests *r, unsigned layer)
{
	struct io_batch *b = &r->batch[layer];
	if (has_one_process(b))
		return requests_by_process(r, layer);
	if (b->in_order.count == 0)
		append_all(&b->in_order, b);
	return spans_of(b, &b->in_order);
}

static void sort(struct io_batch *b)
{
	struct io_order *to = &b->order;
	for (size_t i = 0; i < b->count; i++)
		to->from[to->next[to->part[b->id_of[i]]]++] = (uint16_t)i;
}

static void copy_times(const struct io_batch *b, const uint16_t *from, struct io_columns *to)
{
	const struct io_columns *c = &b->in_trace;
	for (size_t i = 0; i < b->count; i++) {
		const size_t at = from[i];
		to->start_ns[i] = c->start_ns[at];
		to->end_ns[i] = c->end_ns[at];
		to->length[i] = c->length[at];
		to->write[i] = c->write[at];
	}
}

static void copy_offsets(const struct io_batch *b, const uint16_t *from, struct io_columns *to)
{
	for (size_t i = 0; i < b->count; i++)
		to->offset[i] = b->in_trace.offset[from[i]];
}

/* The requests of each process of a batch. */
struct parts {
	uint16_t of_group[REQUESTS_MAX];
	uint16_t count[REQUESTS_MAX];
	size_t parts;
};

/* Returns false if out of memory. */
static bool find_parts(struct requests *r, unsigned layer, struct parts *p)
{
	struct io_batch *b = &r->batch[layer];
	size_t sum = 0;
	p->parts = 0;
	for (size_t g = 0; g < b->group_count; g++) {
		const size_t at = LAYERS * (size_t)b->group[g].process + layer;
		if (!array_reserve_index(&r->process_part, &r->process_part_capacity, at,
					 sizeof *r->process_part))
			return false;
		struct batch_number *of = &r->process_part[at];
		if (of->batch != r->batch_number) {
			*of = (struct batch_number){r->batch_number, (uint32_t)p->parts};
			p->count[p->parts++] = 0;
		}
		p->of_group[g] = (uint16_t)of->number;
		p->count[of->number] = (uint16_t)(p->count[of->number] + b->group[g].count);
	}
	for (size_t i = 0; i < p->parts; sum += p->count[i++])
		b->order.next[i] = (uint16_t)sum;
	for (size_t i = 0; i < b->ids; i++)
		b->order.part[i] = p->of_group[b->id[i].group];
	return true;
}

static void split_processes(struct requests *r, unsigned layer)
{
	struct io_batch *b = &r->batch[layer];
	struct parts p;
	count_groups(b);
	if (!find_parts(r, layer, &p)) {
		r->failed = true;
		return;
	}
	sort(b);
	copy_times(b, b->order.from, &b->by_process);
	for (size_t i = 0, at = 0; i < p.parts; at += p.count[i++])
		append_spans(&b->of_processes, b, &b->by_process, b->order.from, at, p.count[i],
			     false);
}

struct io_spans requests_by_process(struct requests *r, unsigned layer)
{
	struct io_batch *b = &r->batch[layer];
	struct io_view *v = &b->of_processes;
	if (v->count == 0) {
		v->summed = false;
		if (has_one_process(b))
			append_all(v, b);
		else
			split_processes(r, layer);
	}
	return spans_of(b, v);
}

static void sum_view(struct io_view *v)
{
	for (size_t i = 0; i < v->count && !v->summed; i++)
		span_sum(&v->span[i]);
	v->summed = true;
}

void requests_sum_times(struct requests *r, unsigned layer)
{
	struct io_view *v = &r->batch[layer].of_processes;
	for (size_t i = 0; i < v->count && !v->summed; i++)
		span_sum_times(&v->span[i]);
}

static void split_groups(struct io_batch *b)
{
	struct io_order *order = &b->order;
	size_t sum = 0;
	count_groups(b);
	for (size_t g = 0; g < b->group_count; sum += b->group[g++].count)
		order->next[g] = (uint16_t)sum;
	for (size_t i = 0; i < b->ids; i++)
		order->part[i] = (uint16_t)b->id[i].group;
	sort(b);
	copy_times(b, order->from, &b->by_group);
	copy_offsets(b, order->from, &b->by_group);
	for (size_t g = 0, at = 0; g < b->group_count; at += b->group[g++].count)
		append_spans(&b->of_groups, b, &b->by_group, order->from, at, b->group[g].count,
			     true);
}

/* A batch of one fileId has the spans of its process. */
struct io_spans requests_grouped(struct requests *r, unsigned layer)
{
	struct io_batch *b = &r->batch[layer];
	struct io_view *v = &b->of_groups;
	if (b->ids == 1) {
		const struct io_spans spans = requests_by_process(r, layer);
		sum_view(&b->of_processes);
		return spans;
	}
	if (v->count == 0) {
		v->summed = false;
		split_groups(b);
		sum_view(v);
	}
	return spans_of(b, v);
}
