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

static void in_trace(struct arrival *a, const struct io_request *list, size_t n)
{
	struct times_between between = {.count = 0};
	for (size_t i = 0; i < n; i++)
		if ((list[i].flags & IOT_START_UNKNOWN) == 0)
			follow(&a->trace, list[i].start_ns, &between);
	histogram_add_list(&a->in_trace, between.ns, between.count);
}

static bool in_file(struct arrival *a, const struct io_request *list, size_t n)
{
	struct times_between between = {.count = 0};
	for (size_t i = 0; i < n; i++) {
		if ((list[i].flags & IOT_START_UNKNOWN) != 0)
			continue;
		if (!array_reserve_index(&a->files, &a->file_capacity, list[i].file,
					 sizeof *a->files))
			return false;
		follow(&a->files[list[i].file], list[i].start_ns, &between);
	}
	histogram_add_list(&a->in_file, between.ns, between.count);
	return true;
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

static bool in_process(struct arrival *a, const struct io_request *list, size_t n)
{
	struct times_between between = {.count = 0}, thinking = {.count = 0};
	for (size_t i = 0; i < n; i++) {
		if (!array_reserve_index(&a->processes, &a->process_capacity, list[i].process,
					 sizeof *a->processes))
			return false;
		struct arrival_process *p = &a->processes[list[i].process];
		if ((list[i].flags & IOT_START_UNKNOWN) == 0)
			follow(&p->start, list[i].start_ns, &between);
		think(p, &list[i], &thinking);
	}
	histogram_add_list(&a->in_process, between.ns, between.count);
	histogram_add_list(&a->think, thinking.ns, thinking.count);
	return true;
}

bool arrival_add(struct arrival *a, const struct io_request *list, size_t n)
{
	in_trace(a, list, n);
	return in_process(a, list, n) && in_file(a, list, n);
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
	histogram_join(&a->in_trace, &part->in_trace);
	histogram_join(&a->in_process, &part->in_process);
	histogram_join(&a->in_file, &part->in_file);
	histogram_join(&a->think, &part->think);
	join_start(&a->trace, &part->trace, &a->in_trace);
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
