/* SPDX-License-Identifier: BSD-2-Clause */
#include "arrival.h"

#include <stdlib.h>

#include "lib/base/array.h"

/*
 * Lists of times, one for each histogram. Of histograms that take the same time, one counts for all:
 * a time in the process is appended to the list IN_PROCESS, plus SAME_TRACE if it is the time in the
 * trace, too, plus SAME_FILE if it is that in the file.
 */
enum { IN_PROCESS, SAME_TRACE, SAME_FILE, IN_TRACE = 4, IN_FILE, THINK, LISTS };

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

/* The time since the last start; a request out of order follows at once. */
static inline uint64_t time_since(const struct arrival_start *last, int64_t start)
{
	return start > last->start_ns ? (uint64_t)(start - last->start_ns) : 0;
}

static inline void follow(uint64_t trace, uint64_t process, uint64_t file,
			  struct times_between *lists)
{
	const bool same_trace = trace == process, same_file = process == file;
	append(&lists[IN_PROCESS + SAME_TRACE * same_trace + SAME_FILE * same_file], process, true);
	append(&lists[IN_TRACE], trace, !same_trace);
	append(&lists[IN_FILE], file, !same_file);
}

static void add_start(struct arrival_start *last, int64_t start, struct times_between *list)
{
	if (last->started)
		append(list, time_since(last, start), true);
	else
		last->first_ns = start;
	last->start_ns = start;
	last->started = true;
}

/* Requests of one process and file. */
static inline void add_run(struct arrival *a, const struct io_request *q, size_t n,
			   struct times_between *lists)
{
	struct arrival_start *process = &a->processes[q->process].start, *file = &a->files[q->file];
	if (a->trace.started & process->started & file->started) {
		follow(time_since(&a->trace, q->start_ns), time_since(process, q->start_ns),
		       time_since(file, q->start_ns), lists);
	} else {
		add_start(&a->trace, q->start_ns, &lists[IN_TRACE]);
		add_start(process, q->start_ns, &lists[IN_PROCESS]);
		add_start(file, q->start_ns, &lists[IN_FILE]);
	}
	for (size_t i = 1; i < n; i++) {
		const int64_t ns = q[i].start_ns - q[i - 1].start_ns;
		append(&lists[SAME_TRACE + SAME_FILE], ns > 0 ? (uint64_t)ns : 0, true);
	}
	a->trace.start_ns = process->start_ns = file->start_ns = q[n - 1].start_ns;
}

/* Requests of known start. */
static inline bool add_span(struct arrival *a, const struct io_span *span,
			    struct times_between *lists)
{
	for (size_t i = 0, n; i < span->count; i += n) {
		const struct io_request *q = &span->request[i];
		for (n = 1;
		     i + n < span->count && q[n].file == q->file && q[n].process == q->process;)
			n++;
		if (!array_reserve_index(&a->files, &a->file_capacity, q->file, sizeof *a->files))
			return false;
		add_run(a, q, n, lists);
	}
	return true;
}

static inline void think(struct arrival_process *p, const struct io_span *span,
			 struct times_between *to)
{
	const struct io_request *q = span->request;
	const bool known = (span->flags & IOT_START_UNKNOWN) == 0;
	append(to, (uint64_t)(q->start_ns - p->end_ns),
	       p->ended && known && q->start_ns > p->end_ns);
	p->first_known = p->any ? p->first_known : known;
	p->any = true;
	p->ended = span_is_timed(span);
	p->end_ns = span_last(span)->end_ns;
	for (size_t i = 1; i < span->count && p->ended; i++)
		append(to, (uint64_t)(q[i].start_ns - q[i - 1].end_ns),
		       q[i].start_ns > q[i - 1].end_ns);
}

static void add_lists(struct arrival *a, const struct times_between *lists)
{
	struct histogram *const to[LISTS] = {[IN_PROCESS] = &a->in_process,
					     [IN_PROCESS + SAME_TRACE] = &a->in_trace_process,
					     [IN_PROCESS + SAME_FILE] = &a->in_process_file,
					     [IN_PROCESS + SAME_TRACE + SAME_FILE] = &a->in_all,
					     [IN_TRACE] = &a->in_trace,
					     [IN_FILE] = &a->in_file,
					     [THINK] = &a->think};
	for (unsigned i = 0; i < LISTS; i++)
		histogram_add_list(to[i], lists[i].ns, lists[i].count);
}

bool arrival_add(struct arrival *a, const struct io_spans *in_order,
		 const struct io_spans *by_process)
{
	struct times_between lists[LISTS];
	for (unsigned i = 0; i < LISTS; i++)
		lists[i].count = 0;
	for (size_t i = 0; i < by_process->count; i++) {
		const struct io_span *span = &by_process->span[i];
		if (!array_reserve_index(&a->processes, &a->process_capacity, span->process,
					 sizeof *a->processes))
			return false;
		think(&a->processes[span->process], span, &lists[THINK]);
	}
	for (size_t i = 0; i < in_order->count; i++) {
		const struct io_span *span = &in_order->span[i];
		if ((span->flags & IOT_START_UNKNOWN) == 0 && !add_span(a, span, lists))
			return false;
	}
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
	histogram_join(&a->in_process_file, &part->in_process_file);
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
	histogram_join(&a->in_process_file, &a->in_all);
	histogram_join(&a->in_trace, &a->in_all);
	histogram_join(&a->in_trace, &a->in_trace_process);
	histogram_join(&a->in_process, &a->in_trace_process);
	histogram_join(&a->in_process, &a->in_process_file);
	histogram_join(&a->in_file, &a->in_process_file);
	a->in_all = a->in_trace_process = a->in_process_file = (struct histogram){.count = 0};
}

void arrival_values(const struct arrival *a, bool ordered, struct values *v)
{
	summary(v, SUMMARY("inter_arrival"), &a->in_trace, !ordered);
	summary(v, SUMMARY("inter_arrival_process"), &a->in_process, a->inexact_process);
	summary(v, SUMMARY("inter_arrival_file"), &a->in_file, a->inexact_file);
	summary(v, SUMMARY("think_time"), &a->think, a->inexact_process);
}

void arrival_free(struct arrival *a)
{
	free(a->files);
	free(a->processes);
}
