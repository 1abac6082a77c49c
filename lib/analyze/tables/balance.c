/* SPDX-License-Identifier: BSD-2-Clause */
/* The section `processes`: how evenly they do I/O, and those with most. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analyze/containers/saturate.h"
#include "lib/result/names.h"

#include "tables.h"
#include "top.h"

/* A process that does I/O, by id. */
struct process_load {
	uint32_t id;
	uint64_t value[TOP_LISTS]; /* bytes, requests, time in reads and writes */
};

static int by_id(const void *left, const void *right)
{
	const struct process_load *a = left, *b = right;
	return a->id < b->id ? -1 : a->id > b->id;
}

struct spread {
	double sum, deviation; /* deviation: the standard deviation */
	uint64_t max, min;
	uint32_t process; /* with max */
};

/* Computes the spread over n processes; processes without a member count as 0. */
static struct spread spread_of(const struct process_load *m, size_t members, unsigned list,
			       double n)
{
	struct spread s = {.min = (double)members < n ? 0 : UINT64_MAX};
	double squares = 0;
	for (size_t i = 0; i < members; i++) {
		const uint64_t value = m[i].value[list];
		s.sum += (double)value;
		s.process = i == 0 || value > s.max ? m[i].id : s.process;
		s.max = value > s.max ? value : s.max;
		s.min = value < s.min ? value : s.min;
	}
	const double mean = s.sum / n;
	for (size_t i = 0; i < members; i++)
		squares += ((double)m[i].value[list] - mean) * ((double)m[i].value[list] - mean);
	squares += (n - (double)members) * mean * mean;
	s.deviation = sqrt(squares / n);
	return s;
}

static void spread_values(const char *name, const char *unit, const struct spread *s, double n,
			  struct values *v)
{
	static const char nothing[] = "all are 0";
	const double mean = s->sum / n;
	values_real(v, name, "mean", unit, mean);
	values_ratio(v, name, "cv", "", s->deviation, mean, nothing);
	values_ratio(v, name, "max_to_mean", "", (double)s->max, mean, nothing);
	values_ratio(v, name, "spread", "", (double)(s->max - s->min), (double)s->max, nothing);
	values_number(v, name, "process", "", s->process);
}

static void imbalance(const struct row_table *t, const struct process_load *m, size_t members,
		      bool untimed, struct values *v)
{
	static const char *const names[TOP_LISTS] = {"imbalance_bytes", "imbalance_requests",
						     "imbalance_io_time"},
				 *const units[TOP_LISTS] = {"bytes", "", "ns"};
	const uint64_t p = t->from.processes > members ? t->from.processes : members;
	for (unsigned list = 0; list < TOP_LISTS; list++) {
		const bool inexact = list == TOP_TIME && t->from.busy->inexact[BUSY_IO];
		if (members == 0 || inexact || (list == TOP_TIME && untimed)) {
			values_unknown(v, names[list], NULL, units[list],
				       members == 0 ? "no process does I/O"
				       : inexact    ? v->inexact
						    : "no time is known");
			continue;
		}
		const struct spread s = spread_of(m, members, list, (double)p);
		spread_values(names[list], units[list], &s, (double)p, v);
	}
}

static bool node_value(const struct row_table *t, struct values *v)
{
	uint64_t nodes;
	if (!row_names_hosts(t->from.names, t->from.requests, &nodes))
		return false;
	if (nodes > 0)
		values_number(v, NAME_OF(hosts), NULL, "", nodes);
	else
		values_unknown(v, NAME_OF(hosts), NULL, "", "no process declares its host");
	return true;
}

/* Files, created files and bytes, of all processes, by their number. */
static void mean_values(const struct row_table *t, struct values *v)
{
	static const struct {
		const char *name, *unit, *of;
	} means[] = {{"files_per_process", "", "files"},
		     {"created_per_process", "", "created"},
		     {"bytes_per_process", "bytes", "bytes"}};
	for (size_t i = 0; i < sizeof means / sizeof means[0]; i++) {
		const struct iot_analyze_value *found =
		    values_find(v, SECTION_OF(totals), means[i].of, NULL);
		if (found == NULL)
			return; /* out of memory */
		const struct iot_analyze_value all = *found;
		if (all.kind == IOT_VALUE_UNKNOWN) {
			values_unknown(v, means[i].name, NULL, means[i].unit, all.note);
			continue;
		}
		values_ratio(v, means[i].name, NULL, means[i].unit, (double)all.number,
			     (double)t->from.processes, "no processes");
		if (all.note != NULL)
			values_note(v, all.note);
	}
}

bool balance_values(const struct row_table *t, size_t size, struct values *v)
{
	const size_t n = t->from.requests->processes.map.count;
	struct process_load *members = calloc(n + 1, sizeof *members);
	struct row_sums all = {.count = {0}};
	struct top_lists top;
	size_t count = 0;
	if (members == NULL)
		return false;
	top_init(&top, size);
	for (size_t i = 0; i < n; i++) {
		struct table_sums s;
		if (!table_process(t, i, &s))
			continue;
		row_sums_add(&all, &s.sums);
		members[count++] = (struct process_load){
		    table_process_id(t, i),
		    {row_bytes(&s.sums), row_requests(&s.sums), s.ns[BUSY_IO]}};
		top_add(&top, table_process_rank(t, i), &s.sums, s.ns[BUSY_ALL]);
	}
	qsort(members, count, sizeof *members, by_id);
	v->section = SECTION_OF(processes);
	mean_values(t, v);
	imbalance(t, members, count, table_is_untimed(&all), v);
	const bool named = node_value(t, v);
	top_values(&top, t, false, v);
	top_free(&top);
	free(members);
	return named && !top.failed;
}
