/* SPDX-License-Identifier: BSD-2-Clause */
#include "arrival.h"

#include <stdlib.h>

#include "lib/base/array.h"

#include "interval.h"

/* Intervals of a run of requests, which the histograms take together. */
struct times_between {
	uint64_t ns[REQUESTS_MAX];
	size_t count;
};

/* A request out of order follows at once. */
static void follow(struct arrival_start *last, int64_t start, struct times_between *to)
{
	if (last->started)
		to->ns[to->count++] =
		    start > last->start_ns ? (uint64_t)(start - last->start_ns) : 0;
	else
		last->first_ns = start;
	last->start_ns = start;
	last->started = true;
}

static void think(struct arrival_process *p, const struct io_request *q, struct times_between *to)
{
	if (p->ended && (q->flags & IOT_START_UNKNOWN) == 0 && q->start_ns > p->end_ns)
		to->ns[to->count++] = (uint64_t)(q->start_ns - p->end_ns);
	if (!p->any)
		p->first_known = (q->flags & IOT_START_UNKNOWN) == 0;
	p->any = true;
	p->ended = interval_is_known(q);
	p->end_ns = interval_end(q->start_ns, q->duration_ns);
}

struct lists {
	struct times_between all, trace, process, file, think;
};

/* Requests of one process and file, all of known start. */
static void add_span(struct arrival *a, const struct io_request *q, size_t n, struct lists *to)
{
	struct arrival_start *process = &a->processes[q->process].start, *file = &a->files[q->file];
	const bool same = a->trace.started && a->process == q->process && a->file == q->file;
	follow(&a->trace, q->start_ns, same ? &to->all : &to->trace);
	if (!same) {
		follow(process, q->start_ns, &to->process);
		follow(file, q->start_ns, &to->file);
	}
	for (size_t i = 1; i < n; i++)
		follow(&a->trace, q[i].start_ns, &to->all);
	process->start_ns = file->start_ns = a->trace.start_ns;
	a->process = q->process;
	a->file = q->file;
}

static bool reserve(struct arrival *a, const struct io_request *q)
{
	return array_reserve_index(&a->processes, &a->process_capacity, q->process,
				   sizeof *a->processes) &&
	       array_reserve_index(&a->files, &a->file_capacity, q->file, sizeof *a->files);
}

bool arrival_add(struct arrival *a, const struct io_request *list, size_t n)
{
	struct lists to;
	to.all.count = to.trace.count = to.process.count = to.file.count = to.think.count = 0;
	for (size_t i = 0; i < n;) {
		const size_t span = (size_t)list[i].following + 1;
		if (!reserve(a, &list[i]))
			return false;
		if ((list[i].flags & IOT_START_UNKNOWN) == 0)
			add_span(a, &list[i], span, &to);
		for (size_t j = i; j < i + span; j++)
			think(&a->processes[list[j].process], &list[j], &to.think);
		i += span;
	}
	histogram_add_list(&a->in_all, to.all.ns, to.all.count);
	histogram_add_list(&a->in_trace, to.trace.ns, to.trace.count);
	histogram_add_list(&a->in_process, to.process.ns, to.process.count);
	histogram_add_list(&a->in_file, to.file.ns, to.file.count);
	histogram_add_list(&a->think, to.think.ns, to.think.count);
	return true;
}

/* Joins */

static void join_start(struct arrival_start *last, const struct arrival_start *part,
		       struct histogram *h)
{
	if (!part->started)
		return;
	if (last->started)
		histogram_add(h, part->first_ns > last->start_ns
				     ? (uint64_t)(part->first_ns - last->start_ns)
				     : 0);
	last->first_ns = last->started ? last->first_ns : part->first_ns;
	last->start_ns = part->start_ns;
	last->started = true;
}

static void join_process(struct arrival *a, struct arrival_process *p,
			 const struct arrival_process *part)
{
	join_start(&p->start, &part->start, &a->in_process);
	if (!part->any)
		return;
	if (p->any && p->ended && part->first_known && part->start.first_ns > p->end_ns)
		histogram_add(&a->think, (uint64_t)(part->start.first_ns - p->end_ns));
	p->first_known = p->any ? p->first_known : part->first_known;
	p->any = true;
	p->ended = part->ended;
	p->end_ns = part->end_ns;
}

static bool join_processes(struct arrival *a, const struct arrival *part, const uint32_t *process)
{
	bool *seen = NULL;
	size_t seen_capacity = 0;
	bool done = true;
	for (size_t i = 0; i < part->process_capacity && done; i++) {
		if (!part->processes[i].any)
			continue;
		const size_t to = process[i];
		done = array_reserve_index(&a->processes, &a->process_capacity, to,
					   sizeof *a->processes) &&
		       array_reserve_index(&seen, &seen_capacity, to, sizeof *seen);
		if (!done)
			break;
		a->inexact_process |= seen[to];
		seen[to] = true;
		join_process(a, &a->processes[to], &part->processes[i]);
	}
	free(seen);
	return done;
}

static bool join_files(struct arrival *a, const struct arrival *part, const uint32_t *file)
{
	bool *seen = NULL;
	size_t seen_capacity = 0;
	bool done = true;
	for (size_t i = 0; i < part->file_capacity && done; i++) {
		if (!part->files[i].started)
			continue;
		const size_t to = file[i];
		done = array_reserve_index(&a->files, &a->file_capacity, to, sizeof *a->files) &&
		       array_reserve_index(&seen, &seen_capacity, to, sizeof *seen);
		if (!done)
			break;
		a->inexact_file |= seen[to];
		seen[to] = true;
		join_start(&a->files[to], &part->files[i], &a->in_file);
	}
	free(seen);
	return done;
}

bool arrival_join(struct arrival *a, const struct arrival *part, const uint32_t *process,
		  const uint32_t *file)
{
	a->inexact_process |= part->inexact_process;
	a->inexact_file |= part->inexact_file;
	histogram_join(&a->in_all, &part->in_all);
	histogram_join(&a->in_trace, &part->in_trace);
	histogram_join(&a->in_process, &part->in_process);
	histogram_join(&a->in_file, &part->in_file);
	histogram_join(&a->think, &part->think);
	join_start(&a->trace, &part->trace, &a->in_trace);
	a->process = a->file = UINT32_MAX;
	return join_processes(a, part, process) && join_files(a, part, file);
}

/* Values */

static void summary(struct values *v, struct summary_names name, const struct histogram *h,
		    bool inexact)
{
	if (inexact)
		values_summary_unknown(v, name, "ns", VALUES_INEXACT);
	else
		values_summary(v, name, "ns", h);
}

void arrival_settle(struct arrival *a)
{
	histogram_join(&a->in_trace, &a->in_all);
	histogram_join(&a->in_process, &a->in_all);
	histogram_join(&a->in_file, &a->in_all);
	a->in_all = (struct histogram){.count = 0};
}

void arrival_values(const struct arrival *a, struct values *v)
{
	summary(v, SUMMARY("inter_arrival"), &a->in_trace, false);
	summary(v, SUMMARY("inter_arrival_process"), &a->in_process, a->inexact_process);
	summary(v, SUMMARY("inter_arrival_file"), &a->in_file, a->inexact_file);
	summary(v, SUMMARY("think_time"), &a->think, a->inexact_process);
}

void arrival_free(struct arrival *a)
{
	free(a->files);
	free(a->processes);
}
