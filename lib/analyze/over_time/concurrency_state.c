/* SPDX-License-Identifier: BSD-2-Clause */
/* Saves and loads outstanding requests; see state.h. */
#include "concurrency.h"

#include <stdlib.h>

#include "lib/analyze/state.h"

/* An outstanding request: how many requests have begun since, with it, and when it ends. */
struct outstanding {
	uint64_t age;
	int64_t end_ns;
};

static size_t place_of(const struct concurrency *c, uint64_t age)
{
	return (size_t)(c->next + OUTSTANDING_MAX - age) % OUTSTANDING_MAX;
}

/* Finds the next later one, in the order of the trace. */
static bool next_outstanding(const struct concurrency *c, struct outstanding *o)
{
	for (o->age--; o->age > 0 && c->count > 0; o->age--) {
		o->end_ns = c->recent[place_of(c, o->age)];
		if (o->end_ns > c->now_ns)
			return true;
	}
	return false;
}

static void load_outstanding(struct state *s, struct concurrency *c, const struct outstanding *o)
{
	if (c->recent == NULL)
		c->recent = calloc(OUTSTANDING_MAX, sizeof *c->recent);
	int64_t *end = state_at(s, &c->ends, &c->capacity, c->count, sizeof *c->ends);
	if (c->recent == NULL)
		state_no_memory(s);
	if (c->recent == NULL || end == NULL)
		return;
	c->recent[place_of(c, o->age)] = *end = o->end_ns;
	c->count++;
}

static int compare_ends(const void *a, const void *b)
{
	const int64_t *const ends[2] = {a, b};
	return (*ends[0] > *ends[1]) - (*ends[0] < *ends[1]);
}

static void outstanding_state(struct state *s, struct concurrency *c)
{
	struct outstanding o = {.age = OUTSTANDING_MAX + 1};
	while (state_list(s, "outstanding", state_saves(s) && next_outstanding(c, &o))) {
		const uint64_t before = o.age;
		state_limited(s, "age", &o.age, OUTSTANDING_MAX);
		state_time(s, "end", &o.end_ns);
		if (state_saves(s) || state_failed(s))
			continue;
		state_check(s, o.age > 0 && o.age < before && o.end_ns > c->now_ns,
			    "outstanding requests in order");
		if (!state_failed(s))
			load_outstanding(s, c, &o);
	}
	if (!state_saves(s) && c->count > 0)
		qsort(c->ends, c->count, sizeof *c->ends, compare_ends);
}

static void prefix_state(struct state *s, struct concurrency *c)
{
	struct concurrency_prefix *p = &c->prefix;
	const size_t n = p->count;
	for (size_t i = 0; state_list(s, "outstanding.first", i < n); i++) {
		state_check(s, i < OUTSTANDING_MAX && c->part,
			    "up to 65536 first requests of a part");
		struct concurrency_interval *in =
		    state_failed(s)
			? NULL
			: state_at(s, &p->interval, &p->capacity, i, sizeof *p->interval);
		if (in == NULL)
			return;
		state_time(s, "from", &in->start_ns);
		state_time(s, "to", &in->end_ns);
		p->count = i + 1;
	}
}

void concurrency_state(struct state *s, struct concurrency *c)
{
	size_t i;
	while (state_each(s, "concurrency", 1, &i)) {
		state_number(s, "in_flight", &c->in_flight_ns);
		state_number(s, "max", &c->max);
		state_number(s, "shortened", &c->shortened);
		state_flag(s, "inexact", &c->inexact);
		state_time(s, "now", &c->now_ns);
		state_limited(s, "late", &c->late, OUTSTANDING_MAX);
		state_flag(s, "started", &c->any.started);
		state_flag(s, "apart", &c->any.apart);
		state_number(s, "busy", &c->any.busy_ns);
		state_time(s, "busy_begin", &c->any.begin_ns);
		state_time(s, "busy_end", &c->any.end_ns);
	}
	while (state_each(s, "concurrency.level", CONCURRENCY_LEVELS + 1, &i))
		state_number(s, "ns", &c->ns[i]);
	state_histogram(s, STATE_NAMES("concurrency.gap"), &c->any.gaps);
	outstanding_state(s, c);
	prefix_state(s, c);
}
