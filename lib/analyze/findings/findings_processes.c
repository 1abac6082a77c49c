/* SPDX-License-Identifier: BSD-2-Clause */
#include "findings_without_times.h"

#include <string.h>

#include "lib/base/text.h"
#include "lib/base/significant.h"
#include "lib/result/names.h"

/*
 * Returns whether metadata takes more than METADATA_MAX_S, or METADATA_MAX of the process's
 * I/O time.
 */
static bool has_much_metadata(const struct busy *b, size_t process)
{
	const uint64_t ns = b->processes[process].of[BUSY_METADATA].ns,
		       all = b->processes[process].of[BUSY_ALL].ns;
	return ns > 0 &&
	       ((double)ns > METADATA_MAX_S * 1e9 || (double)ns >= METADATA_MAX * (double)all);
}

void findings_of_metadata(struct findings *f, const struct findings_source *from,
			  const struct run_cost *cost)
{
	char text[SIGNIFICANT];
	const struct busy *b = from->table->from.busy;
	struct max_rank max = {.any = false};
	uint64_t count = 0;
	if (b->inexact[BUSY_METADATA] || b->inexact[BUSY_ALL])
		return;
	for (size_t i = 0; i < b->capacity; i++) {
		if (!has_much_metadata(b, i))
			continue;
		count++;
		max_rank_take(&max, table_process_rank(from->table, i),
			      b->processes[i].of[BUSY_METADATA].ns);
	}
	if (!max.any)
		return;
	const double ns = (double)max.rank.first,
		     all = (double)b->processes[max.rank.number].of[BUSY_ALL].ns;
	struct finding *to = finding_add(f, "metadata", ns / all, METADATA_MAX);
	if (to == NULL)
		return;
	finding_set_count(to, count);
	finding_set_process(to, max.rank.key.process);
	finding_set_seconds(to, cost, ns / 1e9);
	finding_text(to,
		     "Process %ju is in metadata operations for %s s, %.0f %%25 of its time in I/O "
		     "(threshold: 50 %%25 or 30 s); processes beyond it: %ju",
		     (uintmax_t)to->process, significant(text, ns / 1e9, 3), 100 * to->value,
		     (uintmax_t)count);
	to->remedy = FINDING_REMEDY_METADATA;
}

static void find_stragglers(struct findings *f, const struct run_cost *cost,
			    const struct file_evidence *e)
{
	char text[SIGNIFICANT];
	if (e->stragglers == 0)
		return;
	struct finding *to = finding_add(f, "stragglers", e->straggler_share, STRAGGLERS_MAX);
	if (to == NULL)
		return;
	finding_set_count(to, e->stragglers);
	finding_set_seconds(to, cost, (double)e->straggler.rank.first / 1e9);
	finding_text(to,
		     "Of %ju processes that share a file the slowest takes %s s longer than the "
		     "fastest, %.0f %%25 of all their time (threshold: 15 %%25)",
		     (uintmax_t)e->straggler_users,
		     significant(text, (double)e->straggler.rank.first / 1e9, 3), 100 * to->value);
	finding_set_file(to, "; it is ", &e->straggler);
	to->remedy = "distribute the requests evenly, and look at the placement of the file";
}

/* Returns whether one of the processes has more than the others: of `name`, an imbalance. */
static bool is_uneven(const struct findings_source *from, const char *name, double *spread,
		      double *process, double *ratio)
{
	return finding_known(from, SECTION_OF(processes), name, "spread", spread) &&
	       finding_known(from, SECTION_OF(processes), name, "process", process) &&
	       finding_known(from, SECTION_OF(processes), name, "max_to_mean", ratio) &&
	       *spread > IMBALANCE_MAX;
}

/* The requests count if the bytes are even: many of a process may be smaller. */
static void find_imbalance(struct findings *f, const struct findings_source *from,
			   const struct run_cost *cost)
{
	char text[SIGNIFICANT];
	double spread, process, ratio;
	if (from->table->from.processes < 2)
		return;
	const bool bytes = is_uneven(from, "imbalance_bytes", &spread, &process, &ratio);
	if (!bytes && !is_uneven(from, "imbalance_requests", &spread, &process, &ratio))
		return;
	struct finding *to = finding_add(f, "imbalance", spread, IMBALANCE_MAX);
	if (to == NULL)
		return;
	finding_set_process(to, (uint32_t)process);
	finding_set_share(to, cost, (1 - 1 / ratio) * cost->both);
	finding_text(
	    to,
	    "The process with the fewest %s has %.0f %%25 fewer than the one with most, process "
	    "%ju (threshold: 30 %%25), which has %s times the mean",
	    bytes ? "bytes" : "requests", 100 * spread, (uintmax_t)to->process,
	    significant(text, ratio, 3));
	to->remedy = bytes ? "distribute the data evenly over the processes"
			   : "distribute the requests evenly over the processes";
}

static bool has_strategy(const struct findings_source *from, const char *strategy)
{
	const struct iot_analyze_value *v = finding_value(from, VALUE(files, strategy), NULL);
	return v != NULL && v->kind == IOT_VALUE_TEXT && text_equals(v->text, strategy);
}

static void find_rank_0(struct findings *f, const struct findings_source *from,
			const struct run_cost *cost)
{
	const struct row_table *t = from->table;
	struct max_rank max = {.any = false};
	double all = 0;
	for (size_t i = 0; i < t->from.rows->process_capacity; i++) {
		const uint64_t bytes = row_bytes(&t->from.rows->processes[i]);
		all += (double)bytes;
		if (bytes > 0)
			max_rank_take(&max, table_process_rank(t, i), bytes);
	}
	struct finding *to =
	    max.any && has_strategy(from, "rank-0")
		? finding_add(f, "rank_0", (double)max.rank.first / all, RANK_0_MIN)
		: NULL;
	if (to == NULL)
		return;
	finding_set_process(to, max.rank.key.process);
	finding_set_share(to, cost, (1 - 1 / (double)t->from.processes) * cost->both);
	finding_text(to,
		     "Process %ju has %.2f %%25 of the bytes of %ju processes (threshold: 99 %%25)",
		     (uintmax_t)to->process, 100 * to->value, (uintmax_t)t->from.processes);
	to->remedy = FINDING_REMEDY_RANK_0;
}

static void find_shared_file(struct findings *f, const struct findings_source *from,
			     const struct run_cost *cost, const struct file_evidence *e)
{
	double all;
	if (e->shared_files != 1 || !e->shared.any || !has_strategy(from, "N-1") ||
	    !finding_known(from, VALUE(totals, bytes), NULL, &all))
		return;
	struct finding *to =
	    finding_add(f, "one_shared_file", (double)e->shared.rank.first / all, 0);
	if (to == NULL)
		return;
	finding_set_share(to, cost, to->value * cost->both);
	finding_text(to, "All %ju processes share one file, with %.0f %%25 of the bytes",
		     (uintmax_t)from->table->from.processes, 100 * to->value);
	finding_set_file(to, ": ", &e->shared);
	to->remedy = "increase its number of stripes, or use a file for each node";
}

static void find_overlap(struct findings *f, const struct findings_source *from,
			 const struct run_cost *cost)
{
	char text[SIGNIFICANT];
	double share, period;
	if (finding_asynchronous(from) ||
	    !finding_known(from, VALUE(time, io_share), NULL, &share) || share <= OVERLAP_MIN ||
	    !finding_known(from, VALUE(cycles, period_s), NULL, &period))
		return;
	struct finding *to = finding_add(f, "overlap_possible", share, OVERLAP_MIN);
	if (to == NULL)
		return;
	finding_set_seconds(to, cost, (share < 0.5 ? share : 1 - share) * cost->seconds);
	finding_text(to,
		     "%.0f %%25 of the time is in synchronous I/O (threshold: 20 %%25), every %s s",
		     100 * share, significant(text, period, 3));
	to->remedy = "asynchronous I/O, or a thread for I/O, overlaps it with computation";
}

void findings_of_processes(struct findings *f, const struct findings_source *from,
			   const struct run_cost *cost, const struct file_evidence *e)
{
	find_stragglers(f, cost, e);
	find_rank_0(f, from, cost);
	find_imbalance(f, from, cost);
	find_shared_file(f, from, cost, e);
	find_overlap(f, from, cost);
}
