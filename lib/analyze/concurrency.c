/* SPDX-License-Identifier: BSD-2-Clause */
#include "concurrency.h"

#include <stdlib.h>

#include "lib/base/array.h"

#include "interval.h"
#include "saturate.h"

/* The heap of ends */

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

/* The usual case: a request follows the only one, which has ended. Returns false otherwise. */
static bool count_alone(struct concurrency *c, int64_t start, int64_t end)
{
	if (c->count != 1 || c->ends[0] > start || end <= start || c->rest_end_ns > c->now_ns)
		return false;
	c->ns[1] += (uint64_t)(c->ends[0] - c->now_ns);
	c->max = c->max > 1 ? c->max : 1;
	extend(c, start, end);
	c->now_ns = start;
	c->ends[0] = end;
	return true;
}

static bool count(struct concurrency *c, int64_t start, int64_t end)
{
	if (count_alone(c, start, end))
		return true;
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

bool concurrency_add(struct concurrency *c, const struct io_request *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!interval_is_known(&list[i]))
			continue;
		c->in_flight_ns = saturate_add(c->in_flight_ns, list[i].duration_ns);
		if (!add(c, list[i].start_ns, interval_end(list[i].start_ns, list[i].duration_ns)))
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
		values_unknown(v, names[i], NULL, "", VALUES_INEXACT);
	values_summary_unknown(v, SUMMARY("idle_gap"), "ns", VALUES_INEXACT);
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
