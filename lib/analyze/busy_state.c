/* SPDX-License-Identifier: BSD-2-Clause */
/* Saves and loads the time in I/O; see state.h. */
#include "busy.h"

#include "lib/base/array.h"

#include "state.h"

static const struct state_numbers *numbers_of(const struct state *s, const struct busy *b)
{
	return b->by_pair ? &s->pairs : &s->processes;
}

static struct busy_process *process_at(struct state *s, struct busy *b, size_t row)
{
	return state_at(s, &b->processes, &b->capacity, numbers_of(s, b)->own[row],
			sizeof *b->processes);
}

static void processes_state(struct state *s, struct busy *b)
{
	size_t i;
	while (state_each(s, b->by_pair ? "busy.pair" : "busy.process",
			  numbers_of(s, b)->count * BUSY_KINDS, &i)) {
		struct busy_process *p = process_at(s, b, i / BUSY_KINDS);
		if (p == NULL)
			return;
		state_number(s, "ns", &p->of[i % BUSY_KINDS].ns);
		state_time(s, "end", &p->of[i % BUSY_KINDS].end_ns);
	}
}

/* Returns NULL if the process has none, or if out of memory. */
static struct busy_head *head_at(struct state *s, struct busy *b, size_t i)
{
	const size_t process = numbers_of(s, b)->own[i / BUSY_KINDS];
	if (state_saves(s) && process >= b->head_capacity)
		return NULL;
	if (process >= b->capacity) /* heads are those of processes */
		(void)process_at(s, b, i / BUSY_KINDS);
	struct busy_head(*heads)[BUSY_KINDS] =
	    state_at(s, &b->heads, &b->head_capacity, process, sizeof *b->heads);
	return heads != NULL ? &(*heads)[i % BUSY_KINDS] : NULL;
}

struct head_cursor {
	size_t of, next;
};

/* The next interval of any head; NULL: none. */
static struct busy_interval *next_interval(struct state *s, struct busy *b, struct head_cursor *c)
{
	for (; c->of < numbers_of(s, b)->count * BUSY_KINDS; c->of++, c->next = 0) {
		const struct busy_head *h = head_at(s, b, c->of);
		if (h != NULL && c->next < h->count)
			return &h->interval[c->next++];
	}
	return NULL;
}

static void load_interval(struct state *s, struct busy *b, size_t of,
			  const struct busy_interval *in)
{
	struct busy_head *h = head_at(s, b, of);
	if (h == NULL)
		return;
	const int64_t last = h->count > 0 ? h->interval[h->count - 1].to_ns : 0;
	state_check(s, h->count < BUSY_HEAD_MAX && in->from_ns >= last && in->to_ns > in->from_ns,
		    "up to 64 intervals in order");
	if (!state_failed(s) && !busy_append(h, *in))
		state_no_memory(s);
}

static void intervals_state(struct state *s, struct busy *b)
{
	const size_t heads = numbers_of(s, b)->count * BUSY_KINDS;
	struct head_cursor c = {0, 0};
	struct busy_interval *next = state_saves(s) ? next_interval(s, b, &c) : NULL;
	while (state_list(s, b->by_pair ? "busy.pair.head" : "busy.head", next != NULL)) {
		struct busy_interval in = next != NULL ? *next : (struct busy_interval){0, 0};
		uint64_t of = c.of;
		state_limited(s, "of", &of, heads > 0 ? heads - 1 : 0);
		state_time(s, "from", &in.from_ns);
		state_time(s, "to", &in.to_ns);
		if (state_saves(s))
			next = next_interval(s, b, &c);
		else if (!state_failed(s) && of < heads)
			load_interval(s, b, (size_t)of, &in);
	}
}

/* Complete heads follow their intervals. */
static void more_state(struct state *s, struct busy *b)
{
	const size_t heads = b->part ? numbers_of(s, b)->count * BUSY_KINDS : 0;
	size_t i;
	while (state_each(s, b->by_pair ? "busy.pair.more" : "busy.more", heads, &i)) {
		struct busy_head *h = head_at(s, b, i);
		bool more = h != NULL && h->more;
		state_flag(s, "more", &more);
		if (h == NULL || state_saves(s))
			continue;
		h->more = more;
		state_check(s, !more || h->count > 0, "intervals of a head");
	}
}

static void operations_state(struct state *s, struct busy *b)
{
	size_t i;
	while (state_each(s, "busy.operations", 1, &i)) {
		state_number(s, "count", &b->operations);
		state_limited(s, "timed", &b->timed_operations, b->operations);
	}
}

void busy_state(struct state *s, struct busy *b)
{
	size_t i;
	if (!b->by_pair)
		operations_state(s, b);
	while (state_each(s, b->by_pair ? "busy.pairs" : "busy", BUSY_KINDS, &i))
		state_flag(s, "inexact", &b->inexact[i]);
	processes_state(s, b);
	intervals_state(s, b);
	more_state(s, b);
}
