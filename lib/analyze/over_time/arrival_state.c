/* SPDX-License-Identifier: BSD-2-Clause */
/* Saves and loads times between requests, which are settled; see state.h. */
#include "arrival.h"

#include "lib/analyze/state.h"

static void start_columns(struct state *s, struct arrival_start *start)
{
	state_flag(s, "started", &start->started);
	state_time(s, "first", &start->first_ns);
	state_time(s, "start", &start->start_ns);
}

static void processes_state(struct state *s, struct arrival *a)
{
	size_t i;
	while (state_each(s, "arrival.process", s->processes.count, &i)) {
		struct arrival_process *p = state_at(s, &a->processes, &a->process_capacity,
						     s->processes.own[i], sizeof *a->processes);
		if (p == NULL)
			return;
		if (!p->ended)
			p->end_ns = 0;
		start_columns(s, &p->start);
		state_flag(s, "any", &p->any);
		state_flag(s, "known", &p->first_known);
		state_flag(s, "ended", &p->ended);
		state_time(s, "end", &p->end_ns);
	}
}

static void files_state(struct state *s, struct arrival *a)
{
	size_t i;
	while (state_each(s, "arrival.file", s->files.count, &i)) {
		struct arrival_start *f =
		    state_at(s, &a->files, &a->file_capacity, s->files.own[i], sizeof *a->files);
		if (f == NULL)
			return;
		start_columns(s, f);
	}
}

void arrival_state(struct state *s, struct arrival *a)
{
	size_t i;
	while (state_each(s, "arrival", 1, &i)) {
		start_columns(s, &a->trace);
		state_flag(s, "inexact_process", &a->inexact_process);
		state_flag(s, "inexact_file", &a->inexact_file);
	}
	processes_state(s, a);
	files_state(s, a);
	state_histogram(s, STATE_NAMES("arrival.trace"), &a->in_trace);
	state_histogram(s, STATE_NAMES("arrival.in_process"), &a->in_process);
	state_histogram(s, STATE_NAMES("arrival.in_file"), &a->in_file);
	state_histogram(s, STATE_NAMES("arrival.think"), &a->think);
}
