/* SPDX-License-Identifier: BSD-2-Clause */
/* The requests of a batch in spans: in the order of the trace, by process, and by process and file. */
#include "lib/base/array.h"

#include "requests_internal.h"
#include "saturate.h"

void requests_sum(struct io_span *s)
{
	const struct io_request *q = s->request;
	uint64_t bytes = 0, duration_ns = 0, extent = 0, differs = 0;
	int64_t end_ns = INT64_MIN;
	bool disjoint = true;
	for (size_t i = 0; i < s->count; i++) {
		const uint64_t end = saturate_add(q[i].offset, q[i].length);
		bytes = saturate_add(bytes, q[i].length);
		duration_ns = saturate_add(duration_ns, q[i].duration_ns);
		extent = end > extent ? end : extent;
		differs |= q[i].length ^ q->length;
		disjoint &= (q[i].start_ns >= end_ns) & (q[i].end_ns > q[i].start_ns);
		end_ns = q[i].end_ns;
	}
	s->bytes = bytes;
	s->duration_ns = duration_ns;
	s->extent = extent;
	s->same_length = differs == 0;
	s->disjoint = disjoint;
}

static void sum_view(struct io_view *v)
{
	for (size_t i = 0; i < v->count && !v->summed; i++)
		requests_sum(&v->span[i]);
	v->summed = true;
}

/* The sums of times only. */
static void sum_times(struct io_span *s)
{
	const struct io_request *q = s->request;
	uint64_t duration_ns = 0;
	int64_t end_ns = INT64_MIN;
	bool disjoint = true;
	for (size_t i = 0; i < s->count; i++) {
		duration_ns = saturate_add(duration_ns, q[i].duration_ns);
		disjoint &= (q[i].start_ns >= end_ns) & (q[i].end_ns > q[i].start_ns);
		end_ns = q[i].end_ns;
	}
	s->duration_ns = duration_ns;
	s->disjoint = disjoint;
}

static struct io_spans spans_of(const struct io_view *v)
{
	return (struct io_spans){v->span, v->count};
}

/* Of requests whose type and flags differ only in these bits, and that have one stream. */
static inline uint32_t span_length(const struct io_request *q, size_t n, unsigned bits,
				   bool one_stream)
{
	uint32_t i = 1;
	while (i < n && ((q[i].type_flags ^ q->type_flags) & ~bits) == 0 &&
	       (!one_stream || q[i].stream == q->stream))
		i++;
	return i;
}

/* Appends a span of the first of n requests; returns their number. */
static inline uint32_t append_span(struct io_view *v, const struct io_request *q, size_t n,
				   unsigned bits, bool one_stream)
{
	struct io_span *s = &v->span[v->count++];
	s->process = q->process;
	s->stream = q->stream;
	s->file = q->file;
	s->flags = (uint8_t)q->type_flags;
	s->write = q->write;
	s->asynchronous = (q->type_flags >> 8 & IOT_ASYNC) != 0;
	s->same_length = s->disjoint = false;
	s->request = q;
	s->count = span_length(q, n, bits, one_stream);
	return s->count;
}

static void append_spans(struct io_view *v, const struct io_request *q, size_t n, unsigned bits)
{
	for (size_t i = 0; i < n;)
		i += append_span(v, q + i, n - i, bits, false);
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
		append_spans(&b->in_order, b->request, b->count, (unsigned)IOT_WRITE << 8);
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
		append_spans(&b->of_processes, q, p.count[i], 0);
}

struct io_spans requests_by_process(struct requests *r, unsigned layer)
{
	struct io_batch *b = &r->batch[layer];
	struct io_view *v = &b->of_processes;
	if (v->count == 0) {
		v->summed = false;
		if (has_one_process(b))
			append_spans(v, b->request, b->count, 0);
		else
			split_processes(r, layer);
	}
	return spans_of(v);
}

void requests_sum_times(struct requests *r, unsigned layer)
{
	struct io_view *v = &r->batch[layer].of_processes;
	for (size_t i = 0; i < v->count && !v->summed; i++)
		sum_times(&v->span[i]);
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
		for (size_t i = 0; i < b->group[g].count;) {
			v->span[v->count].pair = b->group[g].pair;
			i += append_span(v, q + i, b->group[g].count - i, 0, true);
		}
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
