/* SPDX-License-Identifier: BSD-2-Clause */
#include "busy.h"
#include "lib/analyze/state.h"

static const struct state_numbers *numbers_of(const struct state *s, const struct busy *b)
{
	return b->by_pair ? &s->pairs : &s->processes;
}

static size_t rows_of(const struct state *s, const struct busy *b)
{
	return b->kinds > 0 ? b->kinds : numbers_of(s, b)->count;
}

/* Returns the number that the analysis uses for a row; kinds have the same in every analysis. */
static size_t number_of(const struct state *s, const struct busy *b, size_t row)
{
	return b->kinds > 0 ? row : numbers_of(s, b)->own[row];
}

enum busy_table { TABLE_INEXACT, TABLE_ROWS, TABLE_HEADS, TABLE_MORE, TABLES };

/* Returns the name of a table of the state. */
static const char *name_of(const struct busy *b, enum busy_table table)
{
	static const char *const names[3][TABLES] = {
	    {"busy", "busy.process", "busy.head", "busy.more"},
	    {"busy.pairs", "busy.pair", "busy.pair.head", "busy.pair.more"},
	    {"busy.kinds", "busy.kind", "busy.kind.head", "busy.kind.more"}};
	return names[b->kinds > 0 ? 2 : b->by_pair][table];
}

static struct busy_process *process_at(struct state *s, struct busy *b, size_t row)
{
	return state_at(s, &b->processes, &b->capacity, number_of(s, b, row), sizeof *b->processes);
}

static void processes_state(struct state *s, struct busy *b)
{
	size_t i;
	while (state_each(s, name_of(b, TABLE_ROWS), rows_of(s, b) * BUSY_KINDS, &i)) {
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
	const size_t process = number_of(s, b, i / BUSY_KINDS);
	if (state_saves(s) && process >= b->head_capacity)
		return NULL;
	if (process >= b->capacity) /* only rows have heads */
		(void)process_at(s, b, i / BUSY_KINDS);
	struct busy_head(*heads)[BUSY_KINDS] =
	    state_at(s, &b->heads, &b->head_capacity, process, sizeof *b->heads);
	return heads != NULL ? &(*heads)[i % BUSY_KINDS] : NULL;
}

struct head_cursor {
	size_t of, next;
};

/* An interval of a head, relative to the one before it. */
struct interval_row {
	uint64_t of, gap_ns, ns;
};

static int64_t end_of(const struct busy_head *h, size_t count)
{
	return count > 0 ? h->interval[count - 1].to_ns : 0;
}

/* Stores the next interval of any head. Returns false at the end. */
static bool next_row(struct state *s, struct busy *b, struct head_cursor *c,
		     struct interval_row *row)
{
	for (; c->of < rows_of(s, b) * BUSY_KINDS; c->of++, c->next = 0) {
		const struct busy_head *h = head_at(s, b, c->of);
		if (h == NULL || h->derived || c->next == h->count)
			continue;
		const struct busy_interval *in = &h->interval[c->next];
		row->of = c->of;
		row->gap_ns = (uint64_t)(in->from_ns - end_of(h, c->next));
		row->ns = (uint64_t)(in->to_ns - in->from_ns);
		c->next++;
		return true;
	}
	return false;
}

static void load_row(struct state *s, struct busy *b, const struct interval_row *row)
{
	struct busy_head *h = head_at(s, b, (size_t)row->of);
	struct busy_interval in;
	if (h == NULL)
		return;
	const bool valid = row->ns > 0 &&
			   !__builtin_add_overflow(end_of(h, h->count), row->gap_ns, &in.from_ns) &&
			   !__builtin_add_overflow(in.from_ns, row->ns, &in.to_ns);
	if (valid && !busy_add_head(b, number_of(s, b, (size_t)row->of / BUSY_KINDS),
				    row->of % BUSY_KINDS, in))
		state_no_memory(s);
	state_check(s, valid && !h->more, "up to 65536 intervals");
}

static void intervals_state(struct state *s, struct busy *b)
{
	const size_t heads = rows_of(s, b) * BUSY_KINDS;
	struct head_cursor c = {0, 0};
	struct interval_row row = {0};
	while (state_list(s, name_of(b, TABLE_HEADS), state_saves(s) && next_row(s, b, &c, &row))) {
		state_limited(s, "of", &row.of, heads > 0 ? heads - 1 : 0);
		state_number(s, "gap", &row.gap_ns);
		state_number(s, "ns", &row.ns);
		if (!state_saves(s) && !state_failed(s) && row.of < heads)
			load_row(s, b, &row);
	}
}

/* Complete heads follow their intervals. */
static void more_state(struct state *s, struct busy *b)
{
	const size_t heads = b->part ? rows_of(s, b) * BUSY_KINDS : 0;
	size_t i;
	while (state_each(s, name_of(b, TABLE_MORE), heads, &i)) {
		struct busy_head *h = head_at(s, b, i);
		bool more = h != NULL && h->more && !h->derived;
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
	if (!b->by_pair && b->kinds == 0)
		operations_state(s, b);
	while (state_each(s, name_of(b, TABLE_INEXACT), BUSY_KINDS, &i))
		state_flag(s, "inexact", &b->inexact[i]);
	if (state_saves(s))
		busy_find_derived(b);
	processes_state(s, b);
	intervals_state(s, b);
	more_state(s, b);
	if (!state_saves(s) && !busy_derive_heads(b))
		state_no_memory(s);
}
