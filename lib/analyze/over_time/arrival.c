/* SPDX-License-Identifier: BSD-2-Clause */
#include "arrival.h"

#include <stdlib.h>

#include "lib/analyze/statistic.h"
#include "lib/base/array.h"

/*
 * Lists of times, one for each histogram. Of histograms that take the same times, one counts for
 * all.
 */
enum { IN_TRACE, IN_PROCESS, IN_FILE, IN_TRACE_PROCESS, IN_ALL, THINK, LISTS };

/* Times of a batch. One more, as append() writes before it counts. */
struct times_between {
	uint64_t ns[REQUESTS_MAX + 1];
	size_t count;
};

static inline void append(struct times_between *to, uint64_t ns, bool counts)
{
	to->ns[to->count] = ns;
	to->count += counts;
}

/* The time from one start to the next one; a request out of order follows at once. */
static inline uint64_t time_between(int64_t last_ns, int64_t start_ns)
{
	return start_ns > last_ns ? (uint64_t)start_ns - (uint64_t)last_ns : 0;
}

/* The time to the first one of several requests, of which only the last start is kept. */
static inline void add_first(struct arrival_start *to, int64_t first_ns, int64_t last_ns,
			     struct times_between *list)
{
	append(list, time_between(to->start_ns, first_ns), to->started);
	to->first_ns = to->started ? to->first_ns : first_ns;
	to->start_ns = last_ns;
	to->started = true;
}

static inline void add_first_of(struct arrival_start *to, const struct io_span *span,
				struct times_between *list)
{
	add_first(to, span->start_ns[0], span->start_ns[span->count - 1], list);
}

static inline bool is_started(const struct io_span *span)
{
	return (span->flags & IOT_START_UNKNOWN) == 0;
}

/* The times between the requests of a span. */
static void add_times(const struct io_span *span, struct times_between *list)
{
	const int64_t *start_ns = span->start_ns;
	uint64_t *ns = list->ns + list->count;
	for (size_t i = 1; i < span->count; i++)
		*ns++ = time_between(start_ns[i - 1], start_ns[i]);
	list->count += span->count - 1;
}

/* Files */

/* Returns whether requests of several processes in the batch have a file in common. */
static bool find_shared(struct arrival *a, const struct io_spans *grouped, bool *shared)
{
	const struct io_span *span = grouped->span;
	a->batch++;
	for (size_t i = 0; i < grouped->count; i++, span++) {
		SPANS_AHEAD(grouped, i, file, a->files, a->file_capacity);
		if (i > 0 && span->pair == span[-1].pair)
			continue;
		if (!array_reserve_index(&a->files, &a->file_capacity, span->file,
					 sizeof *a->files))
			return false;
		*shared |= a->files[span->file].batch == a->batch;
		a->files[span->file].batch = a->batch;
	}
	return true;
}

static void add_shared(struct arrival *a, const struct io_span *span, const struct io_id *ids,
		       struct times_between *list)
{
	for (size_t i = 0; i < span->count; i++)
		add_first(&a->files[ids[span->id[i]].file], span->start_ns[i], span->start_ns[i],
			  list);
}

/* only: in the batch, so that the times between its requests equal the times in the trace. */
static void add_file(struct arrival *a, const struct io_span *span, bool only,
		     struct times_between *list)
{
	add_first_of(&a->files[span->file], span, list);
	if (!only)
		add_times(span, list);
}

static bool add_files(struct arrival *a, const struct io_spans *in_order,
		      const struct io_spans *grouped, bool only, struct times_between *list)
{
	bool shared = false;
	if (!find_shared(a, grouped, &shared))
		return false;
	for (size_t i = 0; i < in_order->count && shared; i++)
		if (is_started(&in_order->span[i]))
			add_shared(a, &in_order->span[i], in_order->ids, list);
	for (size_t i = 0; i < grouped->count && !shared; i++)
		if (is_started(&grouped->span[i]))
			add_file(a, &grouped->span[i], only, list);
	return true;
}

/* Processes */

static inline void think(struct arrival_process *p, const struct io_span *span,
			 struct times_between *to)
{
	const int64_t *start_ns = span->start_ns, *end_ns = span->end_ns;
	const bool known = (span->flags & IOT_START_UNKNOWN) == 0;
	append(to, (uint64_t)(start_ns[0] - p->end_ns),
	       p->ended && known && start_ns[0] > p->end_ns);
	p->first_known = p->any ? p->first_known : known;
	p->any = true;
	p->ended = span_is_timed(span);
	p->end_ns = span_end(span);
	for (size_t i = 1; i < span->count && p->ended; i++)
		append(to, (uint64_t)(start_ns[i] - end_ns[i - 1]), start_ns[i] > end_ns[i - 1]);
}

/* only: as of files. */
static bool add_processes(struct arrival *a, const struct io_spans *by_process, bool only,
			  struct times_between *lists)
{
	for (size_t i = 0; i < by_process->count; i++) {
		const struct io_span *span = &by_process->span[i];
		SPANS_AHEAD(by_process, i, process, a->processes, a->process_capacity);
		if (!array_reserve_index(&a->processes, &a->process_capacity, span->process,
					 sizeof *a->processes))
			return false;
		think(&a->processes[span->process], span, &lists[THINK]);
		if (!is_started(span))
			continue;
		add_first_of(&a->processes[span->process].start, span, &lists[IN_PROCESS]);
		if (!only)
			add_times(span, &lists[IN_PROCESS]);
	}
	return true;
}

static void add_lists(struct arrival *a, const struct times_between *lists)
{
	struct histogram *const to[LISTS] = {
	    [IN_TRACE] = &a->in_trace, [IN_PROCESS] = &a->in_process,
	    [IN_FILE] = &a->in_file,   [IN_TRACE_PROCESS] = &a->in_trace_process,
	    [IN_ALL] = &a->in_all,     [THINK] = &a->think};
	for (unsigned i = 0; i < LISTS; i++)
		histogram_add_list(to[i], lists[i].ns, lists[i].count);
}

static void add_trace(struct arrival *a, const struct io_spans *in_order, unsigned list,
		      struct times_between *lists)
{
	for (size_t i = 0; i < in_order->count; i++) {
		const struct io_span *span = &in_order->span[i];
		if (!is_started(span))
			continue;
		add_first_of(&a->trace, span, &lists[IN_TRACE]);
		add_times(span, &lists[list]);
	}
}

/* Requests that have one view only belong to one process or file. */
bool arrival_add(struct arrival *a, const struct io_spans *in_order,
		 const struct io_spans *by_process, const struct io_spans *grouped)
{
	const bool one_process = by_process->span == in_order->span,
		   one_file = grouped->span == in_order->span;
	struct times_between lists[LISTS];
	for (unsigned i = 0; i < LISTS; i++)
		lists[i].count = 0;
	if (!add_processes(a, by_process, one_process, lists) ||
	    !add_files(a, in_order, grouped, one_file, &lists[IN_FILE]))
		return false;
	add_trace(a, in_order,
		  one_file      ? IN_ALL
		  : one_process ? IN_TRACE_PROCESS
				: IN_TRACE,
		  lists);
	add_lists(a, lists);
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
	histogram_join(&a->in_trace_process, &part->in_trace_process);
	histogram_join(&a->in_trace, &part->in_trace);
	histogram_join(&a->in_process, &part->in_process);
	histogram_join(&a->in_file, &part->in_file);
	histogram_join(&a->think, &part->think);
	join_start(&a->trace, &part->trace, &a->in_trace);
	return join_processes(a, part, process) && join_files(a, part, file);
}

/* Traces without a common order */

static void find_common(struct arrival *a, const struct arrival *more, const uint32_t *process,
			const uint32_t *file)
{
	for (size_t i = 0; i < more->process_capacity; i++) {
		const size_t to = more->processes[i].any ? process[i] : SIZE_MAX;
		a->inexact_process |= to < a->process_capacity && a->processes[to].any;
	}
	for (size_t i = 0; i < more->file_capacity; i++) {
		const size_t to = more->files[i].started ? file[i] : SIZE_MAX;
		a->inexact_file |= to < a->file_capacity && a->files[to].started;
	}
}

bool arrival_add_trace(struct arrival *a, const struct arrival *more, const uint32_t *process,
		       const uint32_t *file)
{
	find_common(a, more, process, file);
	return arrival_join(a, more, process, file);
}

void arrival_forget(struct arrival *a)
{
	a->trace = (struct arrival_start){.started = false};
	for (size_t i = 0; i < a->process_capacity; i++)
		a->processes[i] = (struct arrival_process){.any = a->processes[i].any};
	for (size_t i = 0; i < a->file_capacity; i++)
		a->files[i] = (struct arrival_start){.started = a->files[i].started};
}

/* Values */

static void summary(struct values *v, struct summary_names name, const struct histogram *h,
		    bool inexact)
{
	if (inexact)
		values_summary_unknown(v, name, "ns", v->inexact);
	else
		values_summary(v, name, "ns", h);
}

void arrival_settle(struct arrival *a)
{
	histogram_join(&a->in_file, &a->in_all);
	histogram_join(&a->in_trace_process, &a->in_all);
	histogram_join(&a->in_trace, &a->in_trace_process);
	histogram_join(&a->in_process, &a->in_trace_process);
	a->in_all = a->in_trace_process = (struct histogram){.count = 0};
}

void arrival_values(const struct arrival *a, bool ordered, bool untimed, struct values *v)
{
	summary(v, SUMMARY_NS("inter_arrival"), &a->in_trace, !ordered);
	summary(v, SUMMARY_NS("inter_arrival_process"), &a->in_process, a->inexact_process);
	summary(v, SUMMARY_NS("inter_arrival_file"), &a->in_file, a->inexact_file);
	if (untimed)
		values_summary_unknown(v, SUMMARY_NS("think_time"), "ns", "no duration is known");
	else
		summary(v, SUMMARY_NS("think_time"), &a->think, a->inexact_process);
}

void arrival_free(struct arrival *a)
{
	free(a->files);
	free(a->processes);
}

/* The statistic */

static bool add_batch(void *of, const struct statistic_batch *b)
{
	return arrival_add(of, &b->in_order, &b->by_process, &b->grouped);
}

/*
 * With a sample of files, the times between requests to a file are unknown, so the partial table is
 * cleared: it depends on which files the sample had in between.
 */
static bool settle(void *of)
{
	struct arrival *a = of;
	arrival_settle(a);
	if (a->inexact_file)
		a->in_file = (struct histogram){.count = 0};
	return true;
}

static bool join(void *of, void *part, const struct statistic_map *map)
{
	return arrival_join(of, part, map->numbers->process, map->numbers->file);
}

static bool add_other_trace(void *of, void *more, const struct statistic_map *map)
{
	return arrival_add_trace(of, more, map->numbers->process, map->numbers->file);
}

static void sample(void *of, const struct sample_kept *k)
{
	struct arrival *a = of;
	SAMPLE_KEEP(a->files, a->file_capacity, k->file, k->files);
	a->inexact_file |= k->bits > 0;
}

static void forget(void *of)
{
	arrival_forget(of);
}

static void state(struct state *s, void *of, const struct requests *r)
{
	(void)r;
	arrival_state(s, of);
}

static void free_all(void *of)
{
	arrival_free(of);
}

const struct statistic arrival_statistic = {
    .sections = IOT_ANALYZE_TIME,
    .add = add_batch,
    .join = join,
    .add_trace = add_other_trace,
    .settle = settle,
    .forget = forget,
    .sample = sample,
    .state = state,
    .free = free_all,
};
