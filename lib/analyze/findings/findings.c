/* SPDX-License-Identifier: BSD-2-Clause */
#include "findings.h"

#include <stdlib.h>
#include <string.h>

#include "causes.h"
#include "finding.h"
#include "findings_counted.h"
#include "findings_without_times.h"

/* Those that save most first, trivial ones last. */
static int by_savings(const void *left, const void *right)
{
	const struct finding *a = left, *b = right;
	if (a->trivial != b->trivial)
		return a->trivial ? 1 : -1;
	const double own[2] = {a->saves * (1 - a->explained), b->saves * (1 - b->explained)};
	if (own[0] < own[1] || own[0] > own[1])
		return own[0] > own[1] ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* Returns whether counters alone have the times of operations. */
static bool lacks_operations(const struct findings_source *from)
{
	return !from->options->physical && from->counters->of[COUNTERS_POSIX] != NULL &&
	       busy_max(from->table->from.busy, BUSY_METADATA) == 0;
}

static void find_all(struct findings *f, const struct findings_source *from,
		     const struct run_cost *cost, const struct file_evidence *e)
{
	if (lacks_operations(from))
		findings_counted_metadata(f, from, cost);
	else
		findings_of_metadata(f, from, cost);
	findings_of_requests(f, from, cost, e);
	findings_of_processes(f, from, cost, e);
}

/* Returns the cause, in the vocabulary of causes.c, that a finding without times points to. */
static const char *cause_of(const char *code)
{
	static const struct {
		const char *code, *cause;
	} causes[] = {{"metadata", "metadata_lookup"},
		      {"small_requests_r", "small_requests"},
		      {"small_requests_w", "small_requests"},
		      {"small_requests_shared_r", "shared_file"},
		      {"small_requests_shared_w", "shared_file"},
		      {"one_shared_file", "shared_file"},
		      {"no_collective_r", "shared_file"},
		      {"no_collective_w", "shared_file"},
		      {"random_r", "random_access"},
		      {"random_w", "random_access"},
		      {"misaligned", "misaligned"},
		      {"misaligned_r", "misaligned"},
		      {"misaligned_w", "misaligned"},
		      {"read_again", "redundant_reads"},
		      {"fits_in_memory", "redundant_reads"},
		      {"stragglers", "imbalance_time"},
		      {"imbalance", "imbalance_bytes"},
		      {"rank_0", "serial"},
		      {"stream_io", "small_requests"}};
	for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++)
		if (strcmp(code, causes[i].code) == 0)
			return causes[i].cause;
	return NULL;
}

/* States the bound of what can be saved. */
static void add_savings(struct finding *f)
{
	if (!f->trivial)
		finding_text(f, ". It concerns up to %.0f %%25 of the %s", 100 * f->saves,
			     f->saves_time ? "run time" : "bytes");
}

/* Without durations, or with counters alone, shares of requests and bytes are all that is known. */
static void find_without_times(struct findings *f, const struct findings_source *from,
			       const struct run_cost *cost)
{
	const struct counters_totals *counted = from->table->from.counted;
	struct file_evidence e = {.stragglers = 0};
	if (counted != NULL)
		findings_counted_files(&e, from->table);
	for (size_t i = 0; i < from->table->from.requests->files.count && counted == NULL; i++)
		file_evidence_add(&e, from->table, i);
	find_all(f, from, cost, &e);
	if (counted != NULL)
		findings_counted(f, from, cost, &e);
	for (size_t i = 0; i < f->count; i++) {
		f->list[i].cause = cause_of(f->list[i].code);
		add_savings(&f->list[i]);
	}
}

/* Records of Darshan come without operations, whose times are counters. */
static void find_with_times(struct findings *f, const struct findings_source *from,
			    const struct run_cost *cost)
{
	if (lacks_operations(from))
		findings_counted_metadata(f, from, cost);
	if (f->count > 0) {
		f->list[0].cause = cause_of(f->list[0].code);
		add_savings(&f->list[0]);
	}
	causes_find(f, from, cost);
}

/* Returns whether the durations of calls are known, so that each cause has a cost. */
static bool has_times(const struct findings_source *from, const struct run_cost *cost)
{
	const struct table_source *t = &from->table->from;
	return t->counted == NULL && !from->options->physical && cost->seconds > 0 &&
	       !t->busy->inexact[BUSY_ALL] && busy_max(t->busy, BUSY_ALL) > 0;
}

/*
 * Moves a finding that others explain before those that cost less, up to the third place: two
 * causes are more to the point than an imbalance to which they lead.
 */
static void raise_explained(struct findings *f)
{
	enum { FIRST_CAUSES = 2 };
	for (size_t i = FIRST_CAUSES; i < f->count; i++) {
		const struct finding moved = f->list[i];
		size_t at = i;
		if (moved.explained <= 0 || moved.trivial)
			continue;
		for (; at > FIRST_CAUSES && f->list[at - 1].saves < moved.saves; at--)
			f->list[at] = f->list[at - 1];
		f->list[at] = moved;
	}
}

void findings_find(struct findings *f, const struct findings_source *from)
{
	const struct run_cost cost = run_cost_of(from);
	if (has_times(from, &cost))
		find_with_times(f, from, &cost);
	else
		find_without_times(f, from, &cost);
	if (f->count > 0)
		qsort(f->list, f->count, sizeof *f->list, by_savings);
	raise_explained(f);
}

void findings_free(struct findings *f)
{
	free(f->list);
}
