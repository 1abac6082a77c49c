/* SPDX-License-Identifier: BSD-2-Clause */
#include "concurrency.h"

#include <stdlib.h>

#include "lib/base/array.h"

#include "saturate.h"

/* The heap of ends. Few ends are sorted: so is a heap to which the latest end is added. */

static void insert(int64_t *ends, size_t count, int64_t end)
{
	for (; count > 0 && ends[count - 1] > end; count--)
		ends[count] = ends[count - 1];
	ends[count] = end;
}

static void sort(struct concurrency *c)
{
	for (size_t i = 1; i < c->count; i++)
		insert(c->ends, i, c->ends[i]);
}

static bool push(struct concurrency *c, int64_t end)
{
	size_t at = c->count;
	if (at == OUTSTANDING_MAX) {
		c->beyond++;
		c->rest_end_ns = end > c->rest_end_ns ? end : c->rest_end_ns;
		return true;
	}
	if (!array_reserve(&c->ends, &c->capacity, at + 1, sizeof *c->ends))
		return false;
	c->count++;
	if (at < CONCURRENCY_SORTED) {
		insert(c->ends, at, end);
		return true;
	}
	for (; at > 0 && c->ends[(at - 1) / 2] > end; at = (at - 1) / 2)
		c->ends[at] = c->ends[(at - 1) / 2];
	c->ends[at] = end;
	return true;
}

static void pop(struct concurrency *c)
{
	const int64_t last = c->ends[--c->count];
	size_t at = 0, child;
	while ((child = 2 * at + 1) < c->count) {
		child += child + 1 < c->count && c->ends[child + 1] < c->ends[child];
		if (c->ends[child] >= last)
			break;
		c->ends[at] = c->ends[child];
		at = child;
	}
	c->ends[at] = last;
	if (c->count <= CONCURRENCY_SORTED)
		sort(c);
}

/* Counts the time until then at a level. */
static void pass_at(struct concurrency *c, int64_t until, size_t outstanding)
{
	const size_t level = outstanding < CONCURRENCY_LEVELS ? outstanding : CONCURRENCY_LEVELS;
	if (until <= c->now_ns)
		return;
	if (level > 0) {
		c->ns[level] += (uint64_t)(until - c->now_ns);
		c->max = outstanding > c->max ? outstanding : c->max;
	}
	c->now_ns = until;
}

static void pass(struct concurrency *c, int64_t until)
{
	if (c->rest_end_ns > c->now_ns && c->rest_end_ns < until)
		pass_at(c, c->rest_end_ns, c->count + 1);
	pass_at(c, until, c->count + (c->rest_end_ns > c->now_ns));
}

static void advance(struct concurrency *c, int64_t until)
{
	while (c->count > 0 && c->ends[0] <= until) {
		pass(c, c->ends[0]);
		pop(c);
	}
	pass(c, until);
}

/* Extends the union. */
static void extend(struct concurrency *c, int64_t start, int64_t end)
{
	const bool follows = c->any.started && start > c->any.end_ns;
	const int64_t from = !c->any.started || follows ? start : c->any.end_ns;
	if (follows)
		histogram_add(&c->any.gaps, (uint64_t)(start - c->any.end_ns));
	c->any.started = true;
	if (end > from)
		c->any.busy_ns += (uint64_t)(end - from);
	c->any.end_ns = end > from ? end : from;
}

static bool count(struct concurrency *c, int64_t start, int64_t end)
{
	advance(c, start);
	if (end <= start)
		return true;
	extend(c, start, end);
	return end <= c->now_ns || push(c, end);
}

/* Of a part with a full prefix: counts again from here on, with the requests that are outstanding. */
static bool pass_prefix(struct concurrency *c)
{
	for (size_t i = 0; i < c->prefix.count; i++)
		if (!count(c, c->prefix.interval[i].start_ns, c->prefix.interval[i].end_ns))
			return false;
	for (unsigned level = 0; level <= CONCURRENCY_LEVELS; level++)
		c->ns[level] = 0;
	c->prefix.now_ns = c->now_ns;
	c->max = c->beyond = c->any.busy_ns = 0;
	c->any.gaps = (struct histogram){.count = 0};
	return true;
}

static bool add(struct concurrency *c, int64_t start, int64_t end)
{
	struct concurrency_prefix *p = &c->prefix;
	const int64_t latest = end > start ? end : start;
	c->latest_ns = latest > c->latest_ns ? latest : c->latest_ns;
	if (!c->part || p->count == CONCURRENCY_PREFIX_MAX)
		return count(c, start, end);
	if (!array_reserve(&p->interval, &p->capacity, p->count + 1, sizeof *p->interval))
		return false;
	p->interval[p->count++] = (struct concurrency_interval){start, end};
	return p->count < CONCURRENCY_PREFIX_MAX || pass_prefix(c);
}

/* A batch with few outstanding requests, in local variables. */

/* The first request that a sweep has not added. */
struct place {
	size_t span, request;
};

struct sweep {
	int64_t *first, *last; /* ends of outstanding requests: [first, last) are sorted */
	uint64_t *ns;          /* by level; level 0 is cleared at the end */
	uint64_t *gap;         /* the next one */
	int64_t now_ns, end_ns, latest_ns; /* end_ns: of the union */
	uint64_t max, busy_ns;
};

/* Counts the time until then. */
static inline __attribute__((always_inline)) void sweep_pass(struct sweep *s, int64_t until)
{
	const size_t level = (size_t)(s->last - s->first);
	const bool passes = until > s->now_ns;
	s->ns[level] += passes ? (uint64_t)(until - s->now_ns) : 0;
	s->max = passes && level > s->max ? level : s->max;
	s->now_ns = passes ? until : s->now_ns;
}

static inline __attribute__((always_inline)) void sweep_request(struct sweep *s,
								const struct io_request *q)
{
	const int64_t start = q->start_ns, end = q->end_ns;
	for (; s->first < s->last && *s->first <= start; s->first++)
		sweep_pass(s, *s->first);
	sweep_pass(s, start);
	s->latest_ns = end > s->latest_ns ? end : s->latest_ns;
	if (end <= start)
		return;
	const int64_t from = s->end_ns > start ? s->end_ns : start;
	*s->gap = (uint64_t)(start - s->end_ns);
	s->gap += start > s->end_ns;
	s->busy_ns += end > from ? (uint64_t)(end - from) : 0;
	s->end_ns = end > from ? end : from;
	if (end <= s->now_ns)
		return;
	int64_t *at = s->last++;
	for (; at > s->first && at[-1] > end; at--)
		*at = at[-1];
	*at = end;
}

/* Whether the other requests of a span are alone, too; after the first one has been added. */
static inline bool sweep_is_alone(const struct sweep *s, const struct io_span *span)
{
	return span->disjoint && s->last - s->first == 1 && s->now_ns == span->request->start_ns &&
	       span_last(span)->end_ns != INT64_MAX;
}

static inline void sweep_alone(struct sweep *s, const struct io_span *span)
{
	const struct io_request *q = span->request, *last = span_last(span);
	for (size_t i = 1; i < span->count; i++) {
		*s->gap = (uint64_t)(q[i].start_ns - q[i - 1].end_ns);
		s->gap += q[i].start_ns > q[i - 1].end_ns;
	}
	s->ns[1] += span->duration_ns - last->duration_ns;
	s->max = s->max > 1 ? s->max : 1;
	s->busy_ns += span->duration_ns - q->duration_ns;
	s->now_ns = last->start_ns;
	*s->first = s->end_ns = last->end_ns;
	s->latest_ns = last->end_ns > s->latest_ns ? last->end_ns : s->latest_ns;
}

static inline struct place sweep_spans(struct sweep *s, const struct io_spans *spans)
{
	for (size_t i = 0; i < spans->count; i++) {
		const struct io_span *span = &spans->span[i];
		for (size_t j = 0; j < span->count && span_is_timed(span); j++) {
			if (s->last - s->first > CONCURRENCY_SORTED)
				return (struct place){i, j};
			sweep_request(s, &span->request[j]);
			if (j > 0 || span->count == 1 || !sweep_is_alone(s, span))
				continue;
			sweep_alone(s, span);
			break;
		}
	}
	return (struct place){spans->count, 0};
}

static struct place sweep(struct concurrency *c, const struct io_spans *spans)
{
	int64_t ends[REQUESTS_MAX + CONCURRENCY_SORTED];
	uint64_t gaps[REQUESTS_MAX + 1];
	struct sweep s = {.first = ends,
			  .last = ends + c->count,
			  .ns = c->ns,
			  .gap = gaps,
			  .now_ns = c->now_ns,
			  .end_ns = c->any.end_ns,
			  .latest_ns = c->latest_ns,
			  .max = c->max};
	for (size_t i = 0; i < c->count; i++)
		ends[i] = c->ends[i];
	const struct place stop = sweep_spans(&s, spans);
	c->count = (size_t)(s.last - s.first);
	for (size_t i = 0; i < c->count; i++)
		c->ends[i] = s.first[i];
	c->ns[0] = 0;
	c->now_ns = s.now_ns;
	c->any.end_ns = s.end_ns;
	c->any.busy_ns += s.busy_ns;
	c->latest_ns = s.latest_ns;
	c->max = s.max;
	histogram_add_list(&c->any.gaps, gaps, (size_t)(s.gap - gaps));
	return stop;
}

static bool add_rest(struct concurrency *c, const struct io_span *span, size_t from)
{
	for (size_t i = from; i < span->count; i++)
		if (!add(c, span->request[i].start_ns, span->request[i].end_ns))
			return false;
	return true;
}

bool concurrency_add(struct concurrency *c, const struct io_spans *spans)
{
	const bool kept = c->part && c->prefix.count < CONCURRENCY_PREFIX_MAX;
	struct place stop = {0, 0};
	if (!array_reserve(&c->ends, &c->capacity, CONCURRENCY_SORTED + 1, sizeof *c->ends))
		return false;
	if (!kept && c->any.started && c->count <= CONCURRENCY_SORTED &&
	    c->rest_end_ns <= c->now_ns)
		stop = sweep(c, spans);
	for (size_t i = 0; i < spans->count; i++) {
		const struct io_span *span = &spans->span[i];
		if (!span_is_timed(span))
			continue;
		c->in_flight_ns = saturate_add(c->in_flight_ns, span->duration_ns);
		if (i >= stop.span && !add_rest(c, span, i == stop.span ? stop.request : 0))
			return false;
	}
	return true;
}

/* What follows the prefix of a part, which has been added. */
static bool join_rest(struct concurrency *c, const struct concurrency *part)
{
	for (unsigned level = 0; level <= CONCURRENCY_LEVELS; level++)
		c->ns[level] += part->ns[level];
	c->max = part->max > c->max ? part->max : c->max;
	c->beyond += part->beyond;
	c->any.busy_ns += part->any.busy_ns;
	histogram_join(&c->any.gaps, &part->any.gaps);
	c->any.end_ns = part->any.end_ns;
	c->any.started |= part->any.started;
	c->now_ns = part->now_ns;
	c->rest_end_ns = part->rest_end_ns;
	c->latest_ns = part->latest_ns > c->latest_ns ? part->latest_ns : c->latest_ns;
	if (!array_reserve(&c->ends, &c->capacity, part->count, sizeof *c->ends))
		return false;
	for (size_t i = 0; i < part->count; i++)
		c->ends[i] = part->ends[i];
	c->count = part->count;
	return true;
}

bool concurrency_join(struct concurrency *c, const struct concurrency *part)
{
	const struct concurrency_prefix *p = &part->prefix;
	const int64_t latest = c->latest_ns;
	c->in_flight_ns = saturate_add(c->in_flight_ns, part->in_flight_ns);
	c->inexact |= part->inexact;
	for (size_t i = 0; i < p->count; i++)
		if (!add(c, p->interval[i].start_ns, p->interval[i].end_ns))
			return false;
	if (p->count < CONCURRENCY_PREFIX_MAX)
		return true;
	c->inexact |= latest > p->now_ns;
	return join_rest(c, part);
}

void concurrency_add_trace(struct concurrency *c, const struct concurrency *more)
{
	c->in_flight_ns = saturate_add(c->in_flight_ns, more->in_flight_ns);
	c->inexact = true;
}

void concurrency_forget(struct concurrency *c)
{
	const uint64_t in_flight_ns = c->in_flight_ns;
	concurrency_free(c);
	*c = (struct concurrency){.in_flight_ns = in_flight_ns, .inexact = true};
}

static bool end_part(struct concurrency *c)
{
	struct concurrency *whole = calloc(1, sizeof *whole);
	if (whole == NULL || !concurrency_join(whole, c)) {
		free(whole != NULL ? whole->ends : NULL);
		free(whole);
		return false;
	}
	concurrency_free(c);
	*c = *whole;
	free(whole);
	return true;
}

bool concurrency_end(struct concurrency *c)
{
	if (c->part && !end_part(c))
		return false;
	advance(c, INT64_MAX);
	return true;
}

/* Values */

static void level_values(const struct concurrency *c, uint64_t span_ns, struct values *v)
{
	uint64_t busy = 0;
	char key[VALUE_KEY];
	for (unsigned level = 1; level <= CONCURRENCY_LEVELS; level++)
		busy += c->ns[level];
	if (busy < span_ns)
		values_number(v, "concurrency_ns", "0", "ns", span_ns - busy);
	for (unsigned level = 1; level < CONCURRENCY_LEVELS; level++)
		if (c->ns[level] > 0)
			values_number(v, "concurrency_ns", values_key(key, level), "ns",
				      c->ns[level]);
	values_number(v, "concurrency_more_ns", NULL, "ns", c->ns[CONCURRENCY_LEVELS]);
}

static void inexact_values(struct values *v)
{
	static const char *const names[] = {"concurrency_ns", "concurrency_more_ns",
					    "concurrency_max", "busy_ns"};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		values_unknown(v, names[i], NULL, "", v->inexact);
	values_summary_unknown(v, SUMMARY("idle_gap"), "ns", v->inexact);
}

void concurrency_values(const struct concurrency *c, uint64_t span_ns, uint64_t runtime_ns,
			struct values *v)
{
	if (c->inexact) {
		inexact_values(v);
	} else {
		level_values(c, span_ns, v);
		values_number(v, "concurrency_max", NULL, "", c->max);
		if (c->beyond > 0)
			values_note(v, "a lower bound: more than 65536 requests were outstanding");
		values_number(v, "busy_ns", NULL, "ns", c->any.busy_ns);
		values_summary(v, SUMMARY("idle_gap"), "ns", &c->any.gaps);
	}
	values_ratio(v, "concurrency_mean", NULL, "", (double)c->in_flight_ns, (double)runtime_ns,
		     "the trace has no duration");
	values_number(v, "in_flight_ns", NULL, "ns", c->in_flight_ns);
}

void concurrency_free(struct concurrency *c)
{
	free(c->ends);
	free(c->prefix.interval);
}
