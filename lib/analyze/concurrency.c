/* SPDX-License-Identifier: BSD-2-Clause */
#include "concurrency.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"

#include "saturate.h"

/* The ends of outstanding requests, in order */

static void insert(int64_t *ends, size_t count, int64_t end)
{
	for (; count > 0 && ends[count - 1] > end; count--)
		ends[count] = ends[count - 1];
	ends[count] = end;
}

/*
 * The same for an end that is seldom lower than more than NEAR others, without branches that depend
 * on the ends. NEAR lowest values precede them.
 */
enum { NEAR = 4 };

static inline int64_t exchange(int64_t *last, int64_t end)
{
	const int64_t before = *last;
	last[1] = before > end ? before : end;
	return before > end ? end : before;
}

static inline void insert_near(int64_t *ends, size_t count, int64_t end)
{
	int64_t *const last = ends + count - 1;
	end = exchange(last, end);
	end = exchange(last - 1, end);
	end = exchange(last - 2, end);
	end = exchange(last - 3, end);
	insert(ends, count - NEAR, end);
}

/* Inserts n others, which are in order, too. */
static void merge(struct concurrency *c, const int64_t *others, size_t n)
{
	size_t old = c->count, to = c->count + n;
	c->count = to;
	while (n > 0) {
		const bool later = old > 0 && c->ends[old - 1] > others[n - 1];
		c->ends[--to] = later ? c->ends[--old] : others[--n];
	}
}

/* Removes the first n. */
static void drop(struct concurrency *c, size_t n)
{
	c->count -= n;
	memmove(c->ends, c->ends + n, c->count * sizeof *c->ends);
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

static void pass(struct concurrency *c, int64_t until, size_t outstanding)
{
	if (c->rest_end_ns > c->now_ns && c->rest_end_ns < until)
		pass_at(c, c->rest_end_ns, outstanding + 1);
	pass_at(c, until, outstanding + (c->rest_end_ns > c->now_ns));
}

static void advance(struct concurrency *c, int64_t until)
{
	size_t ended = 0;
	for (; ended < c->count && c->ends[ended] <= until; ended++)
		pass(c, c->ends[ended], c->count - ended);
	pass(c, until, c->count - ended);
	if (ended > 0)
		drop(c, ended);
}

/* The union of all requests */

static void begin_union(struct concurrency *c, const struct concurrency_interval *in, size_t n)
{
	for (size_t i = 0; i < n && !c->any.started; i++) {
		c->any.started = in[i].end_ns > in[i].start_ns;
		c->any.end_ns = in[i].start_ns;
	}
}

static void extend_union(struct concurrency *c, const struct concurrency_interval *in, size_t n)
{
	uint64_t gaps[REQUESTS_MAX + 1], busy_ns = 0;
	int64_t end_ns = c->any.end_ns;
	size_t count = 0;
	for (size_t i = 0; i < n; i++) {
		const int64_t start = in[i].start_ns, end = in[i].end_ns;
		const int64_t from = start > end_ns ? start : end_ns;
		gaps[count] = (uint64_t)from - (uint64_t)end_ns;
		count += (start > end_ns) & (end > start);
		busy_ns += end > from ? (uint64_t)(end - from) : 0;
		end_ns = end > from ? end : end_ns;
	}
	c->any.end_ns = end_ns;
	c->any.busy_ns += busy_ns;
	histogram_add_list(&c->any.gaps, gaps, count);
}

/* Levels */

/* Takes n starts and all ends in order, up to the last start. */
static void sweep(struct concurrency *c, size_t outstanding, const int64_t *start, size_t n)
{
	const int64_t *end = c->ends;
	int64_t now = c->now_ns;
	uint64_t max = c->max;
	for (size_t i = 0; i < n;) {
		const bool ends = *end <= start[i];
		const int64_t at = ends ? *end : start[i];
		c->ns[outstanding < CONCURRENCY_LEVELS ? outstanding : CONCURRENCY_LEVELS] +=
		    (uint64_t)(at - now);
		max = at > now && outstanding > max ? outstanding : max;
		now = at;
		outstanding = ends ? outstanding - 1 : outstanding + 1;
		end += ends;
		i += !ends;
	}
	c->ns[0] = 0;
	c->max = max;
	c->now_ns = now;
	drop(c, (size_t)(end - c->ends));
}

/* A request out of order counts from the latest start on. */
static void count_all(struct concurrency *c, const struct concurrency_interval *in, size_t n)
{
	int64_t start[REQUESTS_MAX], end[NEAR + REQUESTS_MAX], now = c->now_ns;
	const size_t outstanding = c->count;
	size_t count = 0;
	for (unsigned i = 0; i < NEAR; i++)
		end[i] = INT64_MIN;
	for (size_t i = 0; i < n; i++) {
		now = in[i].start_ns > now ? in[i].start_ns : now;
		if (in[i].end_ns <= now)
			continue;
		insert_near(end, NEAR + count, in[i].end_ns);
		start[count++] = now;
	}
	merge(c, end + NEAR, count);
	sweep(c, outstanding, start, count);
	advance(c, now);
}

/* Close to the limit of outstanding requests. */
static void count_one(struct concurrency *c, const struct concurrency_interval *in)
{
	advance(c, in->start_ns);
	if (in->end_ns <= c->now_ns)
		return;
	if (c->count < OUTSTANDING_MAX) {
		insert(c->ends, c->count++, in->end_ns);
		return;
	}
	c->beyond++;
	c->rest_end_ns = in->end_ns > c->rest_end_ns ? in->end_ns : c->rest_end_ns;
}

/* Whether each request takes time, and starts after all earlier ones have ended. */
static bool are_apart(const struct concurrency *c, const struct concurrency_interval *in, size_t n)
{
	int64_t end_ns = c->any.end_ns > c->now_ns ? c->any.end_ns : c->now_ns;
	for (size_t i = 0; i < n; end_ns = in[i++].end_ns)
		if (in[i].start_ns < end_ns || in[i].end_ns <= in[i].start_ns)
			return false;
	return true;
}

/* Of these, at most one is outstanding. */
static void count_apart(struct concurrency *c, const struct concurrency_interval *in, size_t n)
{
	const struct concurrency_interval *last = &in[n - 1];
	uint64_t gaps[REQUESTS_MAX + 1], busy_ns = 0;
	int64_t end_ns = c->any.end_ns;
	size_t count = 0;
	for (size_t i = 0; i < n; end_ns = in[i++].end_ns) {
		gaps[count] = (uint64_t)(in[i].start_ns - end_ns);
		count += in[i].start_ns > end_ns;
		busy_ns += (uint64_t)(in[i].end_ns - in[i].start_ns);
	}
	histogram_add_list(&c->any.gaps, gaps, count);
	c->any.busy_ns += busy_ns;
	c->any.end_ns = end_ns;
	c->ns[1] += busy_ns - (uint64_t)(last->end_ns - last->start_ns);
	c->max = n > 1 && c->max == 0 ? 1 : c->max;
	c->now_ns = last->start_ns;
	c->ends[0] = last->end_ns;
	c->count = 1;
}

static bool count_some(struct concurrency *c, const struct concurrency_interval *in, size_t n)
{
	if (!array_reserve(&c->ends, &c->capacity, c->count + n, sizeof *c->ends))
		return false;
	if (!c->any.started)
		begin_union(c, in, n);
	if (c->rest_end_ns > c->now_ns || c->count + n > OUTSTANDING_MAX) {
		extend_union(c, in, n);
		for (size_t i = 0; i < n; i++)
			count_one(c, &in[i]);
		return true;
	}
	advance(c, in->start_ns > c->now_ns ? in->start_ns : c->now_ns);
	if (c->count == 0 && are_apart(c, in, n)) {
		count_apart(c, in, n);
		return true;
	}
	extend_union(c, in, n);
	count_all(c, in, n);
	return true;
}

static bool count(struct concurrency *c, const struct concurrency_interval *in, size_t n)
{
	for (size_t at = 0; at < n; at += REQUESTS_MAX)
		if (!count_some(c, in + at, n - at < REQUESTS_MAX ? n - at : REQUESTS_MAX))
			return false;
	return true;
}

/* Parts */

/* Of a part with a full prefix: counts again from here on, with the requests that are outstanding. */
static bool pass_prefix(struct concurrency *c)
{
	if (!count(c, c->prefix.interval, c->prefix.count))
		return false;
	for (unsigned level = 0; level <= CONCURRENCY_LEVELS; level++)
		c->ns[level] = 0;
	c->prefix.now_ns = c->now_ns;
	c->max = c->beyond = c->any.busy_ns = 0;
	c->any.gaps = (struct histogram){.count = 0};
	return true;
}

/* Returns how many of n requests the prefix takes; SIZE_MAX if out of memory. */
static size_t add_prefix(struct concurrency *c, const struct concurrency_interval *in, size_t n)
{
	struct concurrency_prefix *p = &c->prefix;
	const size_t rest = CONCURRENCY_PREFIX_MAX - p->count, taken = n < rest ? n : rest;
	if (!array_reserve(&p->interval, &p->capacity, p->count + taken, sizeof *p->interval))
		return SIZE_MAX;
	memcpy(p->interval + p->count, in, taken * sizeof *in);
	p->count += taken;
	return taken < rest || pass_prefix(c) ? taken : SIZE_MAX;
}

static bool add(struct concurrency *c, const struct concurrency_interval *in, size_t n)
{
	if (n == 0)
		return true;
	const bool kept = c->part && c->prefix.count < CONCURRENCY_PREFIX_MAX;
	int64_t latest = c->latest_ns;
	for (size_t i = 0; i < n; i++)
		latest = in[i].end_ns > latest ? in[i].end_ns : latest;
	c->latest_ns = latest;
	const size_t taken = kept ? add_prefix(c, in, n) : 0;
	return taken != SIZE_MAX && count(c, in + taken, n - taken);
}

bool concurrency_add(struct concurrency *c, const struct io_spans *spans)
{
	struct concurrency_interval in[REQUESTS_MAX];
	uint64_t in_flight_ns = c->in_flight_ns;
	size_t n = 0;
	for (size_t i = 0; i < spans->count; i++) {
		const struct io_span *span = &spans->span[i];
		for (size_t j = 0; j < span->count && span_is_timed(span); j++) {
			const struct io_request *q = &span->request[j];
			in_flight_ns = saturate_add(in_flight_ns, q->duration_ns);
			in[n++] = (struct concurrency_interval){q->start_ns, q->end_ns};
		}
	}
	c->in_flight_ns = in_flight_ns;
	return add(c, in, n);
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
	if (!add(c, p->interval, p->count))
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
