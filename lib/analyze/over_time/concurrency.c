/* SPDX-License-Identifier: BSD-2-Clause */
#include "concurrency.h"

#include <stdlib.h>
#include <string.h>

#include "lib/analyze/containers/saturate.h"
#include "lib/analyze/statistic.h"
#include "lib/base/array.h"
#include "lib/result/names.h"

/* The ends of outstanding requests, in order */

/* The highest ends are in variables: an end is seldom lower than more than these. */
enum { NEAR = 6 };

struct near {
	int64_t a, b, c, d, e, f; /* in descending order */
};

/* Inserts an end without branches that depend on it; returns the lowest one, which leaves. */
static inline int64_t exchange(int64_t *other, int64_t end)
{
	const int64_t before = *other;
	*other = before > end ? before : end;
	return before > end ? end : before;
}

static inline int64_t insert_near(struct near *n, int64_t end)
{
	end = exchange(&n->a, end);
	end = exchange(&n->b, end);
	end = exchange(&n->c, end);
	end = exchange(&n->d, end);
	end = exchange(&n->e, end);
	return exchange(&n->f, end);
}

/* Appends them to `count` others; of fewer than NEAR ends, only the highest ones exist. */
static void append_near(int64_t *ends, size_t count, const struct near *n)
{
	const int64_t near[NEAR] = {n->a, n->b, n->c, n->d, n->e, n->f};
	for (unsigned i = 0; i < NEAR && i < count; i++)
		ends[count - 1 - i] = near[i];
}

/* Inserts the last n, which are in order, among the others, which are in order, too. */
static void merge(int64_t *ends, size_t old, size_t n)
{
	int64_t inserted[REQUESTS_MAX];
	size_t count = 0;
	while (count < n && old > 0 && ends[old + count] < ends[old - 1]) {
		inserted[count] = ends[old + count];
		count++;
	}
	while (count > 0) {
		const bool later = old > 0 && ends[old - 1] > inserted[count - 1];
		ends[old + count - 1] = later ? ends[old - 1] : inserted[count - 1];
		old -= later;
		count -= !later;
	}
}

/* Merges two runs in order, [a, b) and [b, end), without branches that depend on the ends. */
static void merge_runs(int64_t *to, const int64_t *a, const int64_t *b, const int64_t *end)
{
	const int64_t *const middle = b;
	while (a < middle && b < end) {
		const bool second = *b < *a;
		*to++ = second ? *b : *a;
		b += second;
		a += !second;
	}
	memcpy(to, a, (size_t)(middle - a) * sizeof *a);
	memcpy(to + (middle - a), b, (size_t)(end - b) * sizeof *b);
}

/* Sorts up to REQUESTS_MAX ends: with thousands of processes, few are in order. */
static void sort(int64_t *ends, size_t n)
{
	int64_t other[REQUESTS_MAX], *from = ends, *to = other;
	for (size_t width = 1; width < n; width *= 2) {
		for (size_t i = 0; i < n; i += 2 * width) {
			const size_t left = n - i;
			merge_runs(to + i, from + i, from + i + (width < left ? width : left),
				   from + i + (2 * width < left ? 2 * width : left));
		}
		int64_t *const done = to;
		to = from;
		from = done;
	}
	if (from != ends)
		memcpy(ends, from, n * sizeof *ends);
}

/* Removes the first n. */
static void drop(struct concurrency *c, size_t n)
{
	c->count -= n;
	memmove(c->ends, c->ends + n, c->count * sizeof *c->ends);
}

/* Counts the time until then at a level. */
static void pass(struct concurrency *c, int64_t until, size_t outstanding)
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

static void advance(struct concurrency *c, int64_t until)
{
	size_t ended = 0;
	for (; ended < c->count && c->ends[ended] <= until; ended++)
		pass(c, c->ends[ended], c->count - ended);
	pass(c, until, c->count - ended);
	if (ended > 0)
		drop(c, ended);
}

/* Of at least one request and up to REQUESTS_MAX, in the order of the trace. */
struct concurrency_times {
	const int64_t *start_ns, *end_ns;
	size_t n;
	bool disjoint; /* known to be, as in struct io_span */
};

/* The union of all requests, of which a late one counts from the latest start on */

static void begin_union(struct concurrency *c, const struct concurrency_times *t)
{
	int64_t now_ns = c->now_ns;
	for (size_t i = 0; i < t->n && !c->any.started; i++) {
		now_ns = t->start_ns[i] > now_ns ? t->start_ns[i] : now_ns;
		c->any.started = t->end_ns[i] > now_ns;
		c->any.begin_ns = c->any.end_ns = now_ns;
	}
}

static void extend_union(struct concurrency *c, const struct concurrency_times *t)
{
	uint64_t gaps[REQUESTS_MAX + 1], idle_ns = 0;
	const int64_t before_ns = c->any.end_ns;
	int64_t end_ns = before_ns, start = c->now_ns;
	size_t count = 0;
	for (size_t i = 0; i < t->n; i++) {
		start = t->start_ns[i] > start ? t->start_ns[i] : start;
		const bool lasts = t->end_ns[i] > start;
		const int64_t end = lasts ? t->end_ns[i] : INT64_MIN;
		gaps[count] = (uint64_t)start - (uint64_t)end_ns;
		count += (start > end_ns) & lasts;
		end_ns = end > end_ns ? end : end_ns;
	}
	for (size_t i = 0; i < count; i++)
		idle_ns += gaps[i];
	c->any.end_ns = end_ns;
	c->any.busy_ns += (uint64_t)end_ns - (uint64_t)before_ns - idle_ns;
	histogram_add_list(&c->any.gaps, gaps, count);
}

/* Levels */

/* Starts up to `last`, and the ends up to that, in order. */
struct sweep {
	const int64_t *start, *last, *end;
	int64_t now_ns;
	size_t outstanding;
	uint64_t max;
};

/* Without branches that depend on times. */
static inline void step(struct sweep *s, uint64_t *ns)
{
	const bool ends = *s->end <= *s->start;
	const int64_t at = ends ? *s->end : *s->start;
	const size_t level = s->outstanding, lasting = level & (0 - (size_t)(at > s->now_ns));
	ns[level < CONCURRENCY_LEVELS ? level : CONCURRENCY_LEVELS] += (uint64_t)(at - s->now_ns);
	s->max = lasting > s->max ? lasting : s->max;
	s->now_ns = at;
	s->outstanding = level + 1 - 2 * (size_t)ends;
	s->end += ends;
	s->start += !ends;
}

static size_t count_up_to(const int64_t *ends, size_t count, int64_t ns)
{
	size_t from = 0;
	while (from < count) {
		const size_t middle = from + (count - from) / 2;
		if (ends[middle] <= ns)
			from = middle + 1;
		else
			count = middle;
	}
	return from;
}

/* Takes n starts and all ends in order, up to the last start: both halves at the same time. */
static void sweep(struct concurrency *c, size_t outstanding, const int64_t *start, size_t n)
{
	const size_t half = n / 2;
	struct sweep a = {start, start + half, c->ends, c->now_ns, outstanding, c->max};
	struct sweep b = {a.last, start + n, c->ends, c->now_ns, outstanding, c->max};
	uint64_t ns[CONCURRENCY_LEVELS + 1] = {0};
	if (half > 0) {
		const size_t ended = count_up_to(c->ends, c->count, start[half - 1]);
		b.end += ended;
		b.outstanding += half - ended;
		b.now_ns = start[half - 1];
	}
	while (a.start < a.last && b.start < b.last) {
		step(&a, c->ns);
		step(&b, ns);
	}
	while (a.start < a.last)
		step(&a, c->ns);
	while (b.start < b.last)
		step(&b, ns);
	for (unsigned level = 1; level <= CONCURRENCY_LEVELS; level++)
		c->ns[level] += ns[level];
	c->ns[0] = 0;
	c->max = a.max > b.max ? a.max : b.max;
	c->now_ns = b.now_ns;
	drop(c, (size_t)(b.end - c->ends));
}

/* A request out of order counts from the latest start on. */
static void count_all(struct concurrency *c, const struct concurrency_times *t)
{
	struct near near = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};
	int64_t start[REQUESTS_MAX], now = c->now_ns, *const ends = c->ends + c->count;
	const size_t outstanding = c->count;
	size_t count = 0;
	bool in_order = true;
	for (size_t i = 0; i < t->n; i++) {
		now = t->start_ns[i] > now ? t->start_ns[i] : now;
		if (t->end_ns[i] <= now)
			continue;
		const int64_t end = insert_near(&near, t->end_ns[i]);
		if (count >= NEAR)
			ends[count - NEAR] = end;
		in_order &= count <= NEAR || ends[count - NEAR - 1] <= end;
		start[count++] = now;
	}
	append_near(ends, count, &near);
	if (!in_order)
		sort(ends, count);
	merge(c->ends, outstanding, count);
	c->count += count;
	sweep(c, outstanding, start, count);
	advance(c, now);
}

/* Returns whether each request takes time, and starts after all earlier ones have ended. */
static bool are_apart(const struct concurrency *c, const struct concurrency_times *t)
{
	int64_t end_ns = c->any.end_ns > c->now_ns ? c->any.end_ns : c->now_ns;
	if (t->disjoint)
		return t->start_ns[0] >= end_ns;
	for (size_t i = 0; i < t->n; end_ns = t->end_ns[i++])
		if (t->start_ns[i] < end_ns || t->end_ns[i] <= t->start_ns[i])
			return false;
	return true;
}

/* Counts requests of which at most one is outstanding at a time. */
static void count_apart(struct concurrency *c, const struct concurrency_times *t)
{
	const int64_t last_ns = t->start_ns[t->n - 1];
	uint64_t gaps[REQUESTS_MAX + 1], busy_ns = 0;
	int64_t end_ns = c->any.end_ns;
	size_t count = 0;
	for (size_t i = 0; i < t->n; end_ns = t->end_ns[i++]) {
		gaps[count] = (uint64_t)(t->start_ns[i] - end_ns);
		count += t->start_ns[i] > end_ns;
		busy_ns += (uint64_t)(t->end_ns[i] - t->start_ns[i]);
	}
	histogram_add_list(&c->any.gaps, gaps, count);
	c->any.busy_ns += busy_ns;
	c->any.end_ns = end_ns;
	c->ns[1] += busy_ns - (uint64_t)(end_ns - last_ns);
	c->max = t->n > 1 && c->max == 0 ? 1 : c->max;
	c->now_ns = last_ns;
	c->ends[0] = end_ns;
	c->count = 1;
}

/* The limit of outstanding requests */

/* Replaces n of the ends, in order, by others in order, which are not before now_ns. */
static void replace_ends(struct concurrency *c, const int64_t *old, const int64_t *new, size_t n)
{
	size_t kept = 0, replaced = 0;
	for (size_t i = 0; i < c->count; i++)
		if (replaced < n && c->ends[i] == old[replaced])
			replaced++;
		else
			c->ends[kept++] = c->ends[i];
	memcpy(c->ends + kept, new, n * sizeof *new);
	merge(c->ends, kept, n);
	c->count = kept + n;
	const int64_t end_ns = c->ends[c->count - 1];
	c->any.busy_ns -= (uint64_t)(c->any.end_ns - end_ns);
	c->any.end_ns = end_ns;
}

/* Ends the requests that began OUTSTANDING_MAX before these: each when the later one begins. */
static void shorten(struct concurrency *c, const struct concurrency_times *t)
{
	int64_t old[REQUESTS_MAX], new[REQUESTS_MAX], now_ns = c->now_ns;
	size_t n = 0;
	for (size_t i = 0; i < t->n; i++) {
		const int64_t end = c->recent[(c->next + i) % OUTSTANDING_MAX];
		now_ns = t->start_ns[i] > now_ns ? t->start_ns[i] : now_ns;
		old[n] = end;
		new[n] = now_ns;
		n += end > now_ns;
	}
	if (n == 0)
		return;
	sort(old, n);
	replace_ends(c, old, new, n);
	c->shortened += n;
}

static void count_late(struct concurrency *c, const struct concurrency_times *t)
{
	int64_t now_ns = c->now_ns;
	bool any_late = t->start_ns[0] < now_ns;
	for (size_t i = 1; i < t->n; i++)
		any_late |= t->start_ns[i] < t->start_ns[i - 1];
	if (!any_late)
		c->late = 0;
	for (size_t i = 0; i < t->n && any_late && c->late < OUTSTANDING_MAX; i++) {
		const bool late = t->start_ns[i] < now_ns;
		now_ns = late ? now_ns : t->start_ns[i];
		c->late = late ? c->late + 1 : 0;
	}
	c->inexact |= c->late == OUTSTANDING_MAX;
}

/* Keeps the ends of requests, in place of the oldest ones. */
static void keep_ends(struct concurrency *c, const struct concurrency_times *t)
{
	const size_t left = OUTSTANDING_MAX - c->next, first = t->n < left ? t->n : left;
	memcpy(c->recent + c->next, t->end_ns, first * sizeof *c->recent);
	memcpy(c->recent, t->end_ns + first, (t->n - first) * sizeof *c->recent);
	c->next = (c->next + t->n) % OUTSTANDING_MAX;
}

static bool limit(struct concurrency *c, const struct concurrency_times *t)
{
	if (c->recent == NULL)
		c->recent = calloc(OUTSTANDING_MAX, sizeof *c->recent);
	if (c->recent == NULL)
		return false;
	if (c->count > 0)
		shorten(c, t);
	count_late(c, t);
	keep_ends(c, t);
	return true;
}

static bool count(struct concurrency *c, const struct concurrency_times *t)
{
	if (!array_reserve(&c->ends, &c->capacity, c->count + t->n, sizeof *c->ends) ||
	    !limit(c, t))
		return false;
	if (!c->any.started)
		begin_union(c, t);
	advance(c, t->start_ns[0] > c->now_ns ? t->start_ns[0] : c->now_ns);
	if (c->count == 0 && are_apart(c, t)) {
		count_apart(c, t);
		return true;
	}
	extend_union(c, t);
	count_all(c, t);
	return true;
}

/* Parts */

/* Passes the requests of a prefix to `add`. Returns false if it does so. */
static bool replay(struct concurrency *c, const struct concurrency_prefix *p,
		   bool (*add)(struct concurrency *c, const struct concurrency_times *t))
{
	int64_t start_ns[REQUESTS_MAX], end_ns[REQUESTS_MAX];
	bool added = true;
	for (size_t i = 0, n; i < p->count && added; i += n) {
		for (n = 0; n < REQUESTS_MAX && i + n < p->count; n++) {
			start_ns[n] = p->interval[i + n].start_ns;
			end_ns[n] = p->interval[i + n].end_ns;
		}
		added = add(c, &(struct concurrency_times){start_ns, end_ns, n, false});
	}
	return added;
}

/*
 * A part with a full prefix counts again from here on, with the requests that are outstanding. If
 * there are none, the union begins again, at an unknown time after the end of an earlier one.
 */
static bool pass_prefix(struct concurrency *c)
{
	if (!replay(c, &c->prefix, count))
		return false;
	for (unsigned level = 0; level <= CONCURRENCY_LEVELS; level++)
		c->ns[level] = 0;
	c->max = c->any.busy_ns = 0;
	c->any.gaps = (struct histogram){.count = 0};
	c->any.apart = !c->any.started || c->any.end_ns < c->now_ns;
	c->any.started &= !c->any.apart;
	return true;
}

/* Returns how many requests the prefix takes; SIZE_MAX if out of memory. */
static size_t add_prefix(struct concurrency *c, const struct concurrency_times *t)
{
	struct concurrency_prefix *p = &c->prefix;
	const size_t rest = OUTSTANDING_MAX - p->count, taken = t->n < rest ? t->n : rest;
	if (!array_reserve(&p->interval, &p->capacity, p->count + taken, sizeof *p->interval))
		return SIZE_MAX;
	for (size_t i = 0; i < taken; i++)
		p->interval[p->count++] =
		    (struct concurrency_interval){t->start_ns[i], t->end_ns[i]};
	return taken < rest || pass_prefix(c) ? taken : SIZE_MAX;
}

static bool add(struct concurrency *c, const struct concurrency_times *t)
{
	const bool kept = c->part && c->prefix.count < OUTSTANDING_MAX;
	const size_t taken = kept ? add_prefix(c, t) : 0;
	if (taken == SIZE_MAX || taken == t->n)
		return taken == t->n;
	return count(c, &(struct concurrency_times){t->start_ns + taken, t->end_ns + taken,
						    t->n - taken, t->disjoint});
}

static void add_sums(struct concurrency *c, const struct io_spans *grouped)
{
	for (size_t i = 0; i < grouped->count; i++) {
		const struct io_span *span = &grouped->span[i];
		if (!span_is_timed(span))
			continue;
		for (unsigned d = 0; d < 2; d++)
			c->in_flight_ns = saturate_add(c->in_flight_ns, span->of[d].duration_ns);
	}
}

bool concurrency_add(struct concurrency *c, const struct io_spans *in_order,
		     const struct io_spans *grouped)
{
	bool added = true;
	add_sums(c, grouped);
	for (size_t i = 0; i < in_order->count && added && !c->inexact; i++) {
		const struct io_span *span = &in_order->span[i];
		added = !span_is_timed(span) ||
			add(c, &(struct concurrency_times){span->start_ns, span->end_ns,
							   span->count, span->disjoint});
	}
	if (c->inexact)
		concurrency_forget(c);
	return added;
}

/* Continues the union with what follows the prefix of a part. */
static void join_union(struct concurrency *c, const struct concurrency *part)
{
	if (part->any.apart && !part->any.started)
		return;
	if (part->any.apart && !c->any.started)
		c->any.begin_ns = part->any.begin_ns;
	else if (part->any.apart && part->any.begin_ns > c->any.end_ns)
		histogram_add(&c->any.gaps, (uint64_t)(part->any.begin_ns - c->any.end_ns));
	c->any.busy_ns += part->any.busy_ns;
	histogram_join(&c->any.gaps, &part->any.gaps);
	c->any.end_ns = part->any.end_ns;
	c->any.started = true;
}

/* Continues the outstanding requests with the ones of a part. */
static bool join_ends(struct concurrency *c, const struct concurrency *part)
{
	if (!array_reserve(&c->ends, &c->capacity, part->count, sizeof *c->ends))
		return false;
	if (part->count > 0)
		memcpy(c->ends, part->ends, part->count * sizeof *c->ends);
	memset(c->recent, 0, OUTSTANDING_MAX * sizeof *c->recent);
	if (part->recent != NULL)
		memcpy(c->recent, part->recent, OUTSTANDING_MAX * sizeof *c->recent);
	c->count = part->count;
	c->next = part->next;
	return true;
}

/* What follows the prefix of a part, which has been added. */
static bool join_rest(struct concurrency *c, const struct concurrency *part)
{
	for (unsigned level = 0; level <= CONCURRENCY_LEVELS; level++)
		c->ns[level] += part->ns[level];
	c->max = part->max > c->max ? part->max : c->max;
	c->shortened += part->shortened;
	c->now_ns = part->now_ns;
	c->late = part->late;
	join_union(c, part);
	return join_ends(c, part);
}

bool concurrency_join(struct concurrency *c, const struct concurrency *part)
{
	const struct concurrency_prefix *p = &part->prefix;
	c->in_flight_ns = saturate_add(c->in_flight_ns, part->in_flight_ns);
	c->inexact |= part->inexact;
	c->late = part->inexact ? part->late : c->late;
	const bool joined =
	    c->inexact ||
	    (replay(c, p, add) && (p->count < OUTSTANDING_MAX || c->inexact || join_rest(c, part)));
	if (c->inexact)
		concurrency_forget(c);
	return joined;
}

void concurrency_add_trace(struct concurrency *c, const struct concurrency *more)
{
	c->in_flight_ns = saturate_add(c->in_flight_ns, more->in_flight_ns);
	c->inexact = true;
}

void concurrency_forget(struct concurrency *c)
{
	const struct concurrency kept = {.in_flight_ns = c->in_flight_ns,
					 .late = c->late == OUTSTANDING_MAX ? c->late : 0,
					 .inexact = true};
	concurrency_free(c);
	*c = kept;
}

static bool end_part(struct concurrency *c)
{
	struct concurrency *whole = calloc(1, sizeof *whole);
	if (whole == NULL || !concurrency_join(whole, c)) {
		if (whole != NULL)
			concurrency_free(whole);
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
		values_number(v, NAME_OF(concurrency_ns), "0", "ns", span_ns - busy);
	for (unsigned level = 1; level < CONCURRENCY_LEVELS; level++)
		if (c->ns[level] > 0)
			values_number(v, NAME_OF(concurrency_ns), values_key(key, level), "ns",
				      c->ns[level]);
	values_number(v, NAME_OF(concurrency_more_ns), NULL, "ns", c->ns[CONCURRENCY_LEVELS]);
}

static void unknown_values(struct values *v, const char *why)
{
	static const char *const names[] = {"concurrency_ns", "concurrency_more_ns",
					    "concurrency_max", "io_busy_ns"};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		values_unknown(v, names[i], NULL, "", why);
	values_summary_unknown(v, SUMMARY_NS("idle_gap"), "ns", why);
}

void concurrency_values(const struct concurrency *c, uint64_t span_ns, uint64_t runtime_ns,
			bool untimed, struct values *v)
{
	static const char no_times[] = "no time is known",
			  unordered[] = "65536 requests in succession begin before an earlier one";
	if (untimed) {
		unknown_values(v, no_times);
		values_unknown(v, NAME_OF(concurrency_mean), NULL, "", no_times);
		return;
	}
	if (c->inexact) {
		unknown_values(v, c->late == OUTSTANDING_MAX ? unordered : v->inexact);
	} else {
		level_values(c, span_ns, v);
		values_number(v, NAME_OF(concurrency_max), NULL, "", c->max);
		if (c->shortened > 0)
			values_note(v, "a lower bound: a request counts until 65536 later ones "
				       "have begun");
		values_number(v, NAME_OF(io_busy_ns), NULL, "ns", c->any.busy_ns);
		values_summary(v, SUMMARY_NS("idle_gap"), "ns", &c->any.gaps);
	}
	values_ratio(v, NAME_OF(concurrency_mean), NULL, "", (double)c->in_flight_ns,
		     (double)runtime_ns, "the trace has no duration");
}

void concurrency_free(struct concurrency *c)
{
	free(c->ends);
	free(c->recent);
	free(c->prefix.interval);
}

/* The statistic */

static void init(void *of, const struct iot_analyze_options *o)
{
	((struct concurrency *)of)->part = o->part != 0;
}

static bool add_batch(void *of, const struct statistic_batch *b)
{
	return concurrency_add(of, &b->in_order, &b->grouped);
}

static bool join(void *of, void *part, const struct statistic_map *map)
{
	(void)map;
	return concurrency_join(of, part);
}

static bool add_trace(void *of, void *more, const struct statistic_map *map)
{
	(void)map;
	concurrency_add_trace(of, more);
	return true;
}

static void forget(void *of)
{
	concurrency_forget(of);
}

static void state(struct state *s, void *of, const struct requests *r)
{
	(void)r;
	concurrency_state(s, of);
}

static void free_all(void *of)
{
	concurrency_free(of);
}

const struct statistic concurrency_statistic = {
    .sections = IOT_ANALYZE_TIME,
    .init = init,
    .add = add_batch,
    .join = join,
    .add_trace = add_trace,
    .forget = forget,
    .state = state,
    .free = free_all,
};
