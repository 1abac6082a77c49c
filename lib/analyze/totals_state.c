/* SPDX-License-Identifier: BSD-2-Clause */
/* Saves and loads totals; see state.h. */
#include "lib/format/lacks.h"

#include "state.h"
#include "totals.h"

static void io_state(struct state *s, struct totals_io *io)
{
	state_number(s, "n_r", &io->count[0]);
	state_number(s, "n_w", &io->count[1]);
	state_number(s, "s_r", &io->bytes[0]);
	state_number(s, "s_w", &io->bytes[1]);
}

static void files_state(struct state *s, struct totals *t)
{
	size_t i;
	while (state_each(s, "totals.file", s->files.count, &i)) {
		struct totals_file *f =
		    state_at(s, &t->files, &t->file_capacity, s->files.own[i], sizeof *t->files);
		if (f == NULL)
			return;
		io_state(s, &f->io);
		state_flag(s, "located", &f->located);
		state_number(s, "extent", &f->extent);
	}
}

static void clocks_state(struct state *s, struct totals *t)
{
	size_t i;
	while (state_each(s, "totals.clock", s->processes.count, &i)) {
		struct totals_clock *c = state_at(s, &t->clocks, &t->clock_capacity,
						  s->processes.own[i], sizeof *t->clocks);
		if (c == NULL)
			return;
		state_flag(s, "used", &c->used);
		state_flag(s, "known", &c->known);
		state_signed(s, "first", &c->first_ns);
		state_signed(s, "last", &c->last_ns);
	}
}

void totals_state(struct state *s, void *of, const struct requests *requests)
{
	(void)requests;
	struct totals *t = of;
	size_t i;
	while (state_each(s, "totals", 1, &i))
		io_state(s, &t->io);
	while (state_each(s, "totals.requests", 2, &i)) {
		state_number(s, "unknown", &t->offset_unknown[i]);
		state_number(s, "unknown_s", &t->offset_unknown_bytes[i]);
		state_number(s, "async", &t->asynchronous[i]);
		state_number(s, "async_s", &t->asynchronous_bytes[i]);
		state_number(s, "timed", &t->timed[i]);
		state_number(s, "ns", &t->duration_ns[i]);
	}
	files_state(s, t);
	clocks_state(s, t);
}

void totals_trace_state(struct state *s, struct totals_trace *t)
{
	size_t i;
	while (state_each(s, "trace", 1, &i)) {
		state_flag(s, "timed", &t->timed);
		state_time(s, "begin", &t->begin_ns);
		state_time(s, "end", &t->end_ns);
		state_time(s, "first", &t->first_ns);
		state_time(s, "last", &t->last_ns);
		state_limited(s, "epoch", &t->epoch_ns, INT64_MAX);
		state_number(s, "job_start", &t->job_start_ns);
		state_number(s, "job_end", &t->job_end_ns);
		state_number(s, "ranks", &t->ranks);
		state_number(s, "out_of_order", &t->out_of_order);
		state_number(s, "created", &t->created);
		state_number(s, "lost", &t->lost_count);
		state_number(s, "lost_records", &t->lost);
		state_flag(s, "requested", &t->lengths_requested);
	}
	while (state_each(s, "trace.opens", 1, &i)) {
		state_number(s, "opens", &t->opens);
		state_flag(s, "operations", &t->operations);
		state_limited(s, "lacks", &t->lacks, LACK_ALL);
	}
}
