/* SPDX-License-Identifier: BSD-2-Clause */
/* The requests of a batch in spans: in the order of the trace, by process, and by process and file. */
#include <assert.h>

#include "lib/base/array.h"

#include "requests_internal.h"
#include "saturate.h"

enum { LARGE_BITS = 52 };

static_assert(REQUESTS_MAX <= 1 << (64 - LARGE_BITS), "sums of values that are not large fit");

static void sum_large(struct io_span *s)
{
	s->of[0] = s->of[1] = (struct io_sums){.count = 0};
	for (size_t i = 0; i < s->count; i++) {
		const struct io_request *q = &s->request[i];
		struct io_sums *of = &s->of[q->write];
		of->count++;
		of->bytes = saturate_add(of->bytes, q->length);
		of->duration_ns = saturate_add(of->duration_ns, q->duration_ns);
	}
}

/* Without branches on the direction. offsets: or only the sums of times. */
static inline void sum(struct io_span *s, bool offsets)
{
	const struct io_request *q = s->request;
	struct io_sums both = {.count = s->count}, writes = {.count = 0};
	uint64_t large = 0, low = UINT64_MAX, extent = 0, differs = 0;
	int64_t end_ns = INT64_MIN, first_ns = INT64_MAX, last_ns = INT64_MIN;
	bool disjoint = true;
	for (size_t i = 0; i < s->count; i++) {
		const uint64_t mask = 0 - (uint64_t)q[i].write, length = q[i].length;
		const uint64_t end = saturate_add(q[i].offset, length);
		both.duration_ns += q[i].duration_ns;
		writes.duration_ns += q[i].duration_ns & mask;
		writes.count += q[i].write;
		disjoint &= (q[i].start_ns >= end_ns) & (q[i].end_ns > q[i].start_ns);
		end_ns = q[i].end_ns;
		large |= length | q[i].duration_ns;
		if (!offsets)
			continue;
		both.bytes += length;
		writes.bytes += length & mask;
		first_ns = q[i].start_ns < first_ns ? q[i].start_ns : first_ns;
		last_ns = end_ns > last_ns ? end_ns : last_ns;
		low = q[i].offset < low ? q[i].offset : low;
		extent = end > extent ? end : extent;
		differs |= length ^ q->length;
	}
	s->of[0] = (struct io_sums){both.count - writes.count, both.bytes - writes.bytes,
				    both.duration_ns - writes.duration_ns};
	s->of[1] = writes;
	if (large >> LARGE_BITS != 0)
		sum_large(s);
	s->disjoint = disjoint;
	if (!offsets)
		return;
	s->first_ns = first_ns;
	s->last_ns = last_ns;
	s->low = low;
	s->extent = extent;
	s->same_length = differs == 0;
}

void requests_sum(struct io_span *s)
{
	sum(s, true);
}

static void sum_view(struct io_view *v)
{
	for (size_t i = 0; i < v->count && !v->summed; i++)
		sum(&v->span[i], true);
	v->summed = true;
}

static struct io_spans spans_of(const struct io_view *v)
{
	return (struct io_spans){v->span, v->count};
}

/* Of requests of the same type and flags, and of one stream. */
static inline uint32_t span_length(const struct io_request *q, size_t n, bool one_stream)
{
	uint32_t i = 1;
	while (i < n && q[i].type_flags == q->type_flags &&
	       (!one_stream || q[i].stream == q->stream))
		i++;
	return i;
}

/* Appends a span of n requests. */
static inline void append_span(struct io_view *v, const struct io_request *q, size_t n)
{
	struct io_span *s = &v->span[v->count++];
	s->process = q->process;
	s->stream = q->stream;
	s->file = q->file;
	s->flags = (uint8_t)q->type_flags;
	s->asynchronous = (q->type_flags >> 8 & IOT_ASYNC) != 0;
	s->same_length = s->disjoint = false;
	s->request = q;
	s->count = (uint32_t)n;
}

/* Of n requests of a batch. */
static void append_spans(struct io_view *v, const struct io_batch *b, const struct io_request *q,
			 size_t n)
{
	for (size_t i = 0, length; i < n; i += length) {
		length = b->differ == 0 ? n : span_length(q + i, n - i, false);
		append_span(v, q + i, length);
	}
}

/* Of a group. A batch with as many fileIds as groups has one stream in each. */
static inline void append_group(struct io_view *v, const struct io_batch *b,
				const struct io_group *g, const struct io_request *q)
{
	const bool alike = b->differ == 0 && b->ids == b->group_count;
	for (size_t i = 0, length; i < g->count; i += length) {
		length = alike ? g->count : span_length(q + i, g->count - i, true);
		v->span[v->count].pair = g->pair;
		append_span(v, q + i, length);
	}
}

static void count_groups(struct io_batch *b)
{
	for (size_t g = 0; g < b->group_count; g++)
		b->group[g].count = 0;
	for (size_t i = 0; i < b->count; i++)
		b->group[b->group_of[i]].count++;
}

static bool has_one_process(const struct io_batch *b)
{
	size_t g = 1;
	while (g < b->group_count && b->group[g].process == b->group->process)
		g++;
	return g >= b->group_count;
}

/* In the order of the trace, requests of one process are those by process. */
struct io_spans requests_in_order(struct requests *r, unsigned layer)
{
	struct io_batch *b = &r->batch[layer];
	if (has_one_process(b))
		return requests_by_process(r, layer);
	if (b->in_order.count == 0)
		append_spans(&b->in_order, b, b->request, b->count);
	return spans_of(&b->in_order);
}

/* The requests of each process of a batch. */
struct parts {
	uint16_t of_group[REQUESTS_MAX];
	uint16_t next[REQUESTS_MAX]; /* the index of its next request among those by process */
	uint16_t count[REQUESTS_MAX];
	size_t parts;
};

/* Returns false if out of memory. */
static bool find_parts(struct requests *r, unsigned layer, struct parts *p)
{
	const struct io_batch *b = &r->batch[layer];
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
		p->next[i] = (uint16_t)sum;
	return true;
}

static void split_processes(struct requests *r, unsigned layer)
{
	struct io_batch *b = &r->batch[layer];
	const struct io_request *q = b->by_process;
	struct parts p;
	count_groups(b);
	if (!find_parts(r, layer, &p)) {
		r->failed = true;
		return;
	}
	for (size_t i = 0; i < b->count; i++)
		b->by_process[p.next[p.of_group[b->group_of[i]]]++] = b->request[i];
	for (size_t i = 0; i < p.parts; q += p.count[i++])
		append_spans(&b->of_processes, b, q, p.count[i]);
}

struct io_spans requests_by_process(struct requests *r, unsigned layer)
{
	struct io_batch *b = &r->batch[layer];
	struct io_view *v = &b->of_processes;
	if (v->count == 0) {
		v->summed = false;
		if (has_one_process(b))
			append_spans(v, b, b->request, b->count);
		else
			split_processes(r, layer);
	}
	return spans_of(v);
}

static void copy_times(struct io_view *v, struct io_times *to)
{
	int64_t *start_ns = to->start_ns, *end_ns = to->end_ns;
	for (size_t i = 0; i < v->count; i++) {
		struct io_span *s = &v->span[i];
		s->start_ns = start_ns;
		s->end_ns = end_ns;
		for (size_t k = 0; k < s->count; k++) {
			*start_ns++ = s->request[k].start_ns;
			*end_ns++ = s->request[k].end_ns;
		}
	}
}

void requests_sum_times(struct requests *r, unsigned layer)
{
	struct io_batch *b = &r->batch[layer];
	struct io_view *v = &b->of_processes;
	for (size_t i = 0; i < v->count && !v->summed; i++)
		sum(&v->span[i], false);
	copy_times(v, &b->times_of_processes);
	copy_times(&b->in_order, &b->times_in_order);
}

/* Of one stream: the spans are those of its process. */
static struct io_spans set_only_group(struct requests *r, unsigned layer)
{
	struct io_batch *b = &r->batch[layer];
	const struct io_spans spans = requests_by_process(r, layer);
	sum_view(&b->of_processes);
	for (size_t i = 0; i < spans.count; i++)
		b->of_processes.span[i].pair = b->group->pair;
	return spans;
}

static void split_groups(struct io_batch *b)
{
	const struct io_request *q = b->by_group;
	struct io_view *v = &b->of_groups;
	uint16_t next[REQUESTS_MAX];
	size_t sum = 0;
	count_groups(b);
	for (size_t g = 0; g < b->group_count; sum += b->group[g++].count)
		next[g] = (uint16_t)sum;
	for (size_t i = 0; i < b->count; i++)
		b->by_group[next[b->group_of[i]]++] = b->request[i];
	for (size_t g = 0; g < b->group_count; q += b->group[g++].count)
		append_group(v, b, &b->group[g], q);
}

struct io_spans requests_grouped(struct requests *r, unsigned layer)
{
	struct io_batch *b = &r->batch[layer];
	struct io_view *v = &b->of_groups;
	if (b->ids == 1)
		return set_only_group(r, layer);
	if (v->count == 0) {
		v->summed = false;
		split_groups(b);
		sum_view(v);
	}
	return spans_of(v);
}
