/* SPDX-License-Identifier: BSD-2-Clause */
/* Saves and loads outstanding requests; see state.h. */
#include "concurrency.h"

#include "lib/analyze/state.h"

static void ends_state(struct state *s, struct concurrency *c)
{
	const size_t n = c->count;
	int64_t last = 0;
	for (size_t i = 0; state_list(s, "outstanding", i < n); i++) {
		state_check(s, i < OUTSTANDING_MAX, "up to 65536 outstanding requests");
		int64_t *end = state_failed(s)
				   ? NULL
				   : state_at(s, &c->ends, &c->capacity, i, sizeof *c->ends);
		if (end == NULL)
			return;
		state_time(s, "end", end);
		state_check(s, *end >= last, "ends in order");
		last = *end;
		c->count = i + 1;
	}
}

static void prefix_state(struct state *s, struct concurrency *c)
{
	struct concurrency_prefix *p = &c->prefix;
	const size_t n = p->count;
	for (size_t i = 0; state_list(s, "outstanding.first", i < n); i++) {
		state_check(s, i < CONCURRENCY_PREFIX_MAX && c->part,
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
		state_number(s, "beyond", &c->beyond);
		state_time(s, "rest_end", &c->rest_end_ns);
		state_flag(s, "inexact", &c->inexact);
		state_time(s, "latest", &c->latest_ns);
		state_time(s, "now", &c->now_ns);
		state_time(s, "prefix_now", &c->prefix.now_ns);
		state_flag(s, "started", &c->any.started);
		state_number(s, "busy", &c->any.busy_ns);
		state_time(s, "busy_end", &c->any.end_ns);
	}
	while (state_each(s, "concurrency.level", CONCURRENCY_LEVELS + 1, &i))
		state_number(s, "ns", &c->ns[i]);
	state_histogram(s, STATE_NAMES("concurrency.gap"), &c->any.gaps);
	ends_state(s, c);
	prefix_state(s, c);
}
