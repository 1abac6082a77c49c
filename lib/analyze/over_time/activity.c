/* SPDX-License-Identifier: BSD-2-Clause */
#include "activity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t ns_per_s = 1000000000;

/* Bytes per second, ascending; before them, any request counts. */
static const struct threshold {
	const char *key;
	uint64_t bytes;
} thresholds[] = {{"0 requests", 0},  {"0", 0},           {"1024", 1024},      {"8192", 8192},
		  {"131072", 131072}, {"524288", 524288}, {"1048576", 1048576}};

enum { THRESHOLDS = sizeof thresholds / sizeof thresholds[0], OF_BYTES = 1 };

/* The bytes that a bin has at the threshold, rounded down. */
static uint64_t limit_of(const struct threshold *t, const struct view *v)
{
	const uint128 limit = (uint128)t->bytes * v->width_num / ((uint128)v->width_den * ns_per_s);
	return limit < UINT64_MAX ? (uint64_t)limit : UINT64_MAX;
}

/* Counts the active processes of each bin by threshold; a cell is active above the limit. */
static void count_cells(const struct view *view, uint32_t (*number)[THRESHOLDS], unsigned d)
{
	uint64_t limit[THRESHOLDS];
	for (size_t t = OF_BYTES; t < THRESHOLDS; t++)
		limit[t] = limit_of(&thresholds[t], view);
	memset(number, 0, view->bins * sizeof *number);
	for (size_t i = 0; i < view->count; i++) {
		const struct cell *c = &view->cells[i];
		const uint64_t bytes = view_sum(c->bytes, d);
		uint32_t *of = number[c->bin - view->first];
		size_t t = OF_BYTES;
		while (t < THRESHOLDS && bytes > limit[t])
			t++;
		of[0] += view_sum(c->requests, d) > 0;
		if (t > OF_BYTES)
			of[t - 1]++;
	}
	for (size_t i = 0; i < view->bins; i++)
		for (size_t t = THRESHOLDS - 1; t > OF_BYTES; t--)
			number[i][t - 1] += number[i][t];
}

struct activity {
	uint64_t max_processes;          /* processes active in one bin */
	uint64_t active, idle;           /* bins */
	uint64_t active_runs, idle_runs; /* of such bins */
	uint64_t processes;              /* active processes, summed over all bins */
};

static struct activity count_activity(const struct view *view, uint32_t (*number)[THRESHOLDS],
				      size_t t)
{
	struct activity a = {.active = 0};
	bool before = false;
	for (size_t i = 0; i < view->bins; i++) {
		const uint32_t processes = number[i][t];
		const bool active = processes > 0;
		if (!view_observes(view, i))
			continue;
		const bool starts = a.active + a.idle == 0 || active != before;
		before = active;
		a.active += active;
		a.idle += !active;
		a.active_runs += starts && active;
		a.idle_runs += starts && !active;
		a.processes += processes;
		a.max_processes = processes > a.max_processes ? processes : a.max_processes;
	}
	return a;
}

static double burstiness(const struct activity *a)
{
	if (a->idle == 0)
		return 0;
	if (a->active == 0)
		return 1;
	const double busy = (double)a->active / (double)a->active_runs,
		     idle = (double)a->idle / (double)a->idle_runs;
	return 1 - tanh(busy / idle);
}

static void parallel_values(const struct activity *a, uint64_t processes, const char *const name[2],
			    const char *key, struct values *v)
{
	const double p = (double)processes, active = a->active > 0 ? (double)a->active : 1;
	values_real(v, name[0], key, "", (double)a->processes / p / active);
	/* (p * mean - 1) / (p - 1) without its rounding */
	values_ratio(v, name[1], key, "", (double)(a->processes - a->active) / active, p - 1,
		     "one process");
}

/* By threshold. */
static void direction_values(const struct activity a[THRESHOLDS], const struct view *view,
			     uint64_t processes, unsigned d, struct values *v)
{
	static const char *const names[DIRECTIONS][5] = {
	    {"read_active_bins", "read_active_pairs", "read_intensity", "read_burstiness",
	     "read_active_process_share_max"},
	    {"write_active_bins", "write_active_pairs", "write_intensity", "write_burstiness",
	     "write_active_process_share_max"},
	    {"active_bins", "active_pairs", "intensity", "burstiness", "active_process_share_max"}};
	for (size_t t = 0; t < THRESHOLDS; t++)
		values_number(v, names[d][0], thresholds[t].key, "", a[t].active);
	for (size_t t = 0; t < THRESHOLDS; t++)
		values_number(v, names[d][1], thresholds[t].key, "", a[t].processes);
	for (size_t t = 0; t < THRESHOLDS; t++)
		values_real(v, names[d][2], thresholds[t].key, "",
			    (double)a[t].active /
				(double)(view->observed > 0 ? view->observed : 1));
	for (size_t t = 0; t < THRESHOLDS; t++)
		values_real(v, names[d][3], thresholds[t].key, "", burstiness(&a[t]));
	for (size_t t = 0; t < THRESHOLDS; t++)
		values_real(v, names[d][4], thresholds[t].key, "",
			    (double)a[t].max_processes / (double)processes);
}

bool activity_values(const struct view *view, uint64_t processes, struct values *v)
{
	static const char *const parallel[DIRECTIONS][2] = {
	    {"read_parallel_intensity", "read_parallel_intensity_normalised"},
	    {"write_parallel_intensity", "write_parallel_intensity_normalised"},
	    {"parallel_intensity", "parallel_intensity_normalised"}};
	uint32_t(*number)[THRESHOLDS] = calloc(view->bins, sizeof *number);
	struct activity a[THRESHOLDS];
	for (unsigned d = 0; d < DIRECTIONS && number != NULL; d++) {
		count_cells(view, number, d);
		for (size_t t = 0; t < THRESHOLDS; t++)
			a[t] = count_activity(view, number, t);
		direction_values(a, view, processes, d, v);
		parallel_values(&a[THRESHOLDS - 1], processes, parallel[d], "1048576", v);
	}
	free(number);
	return number != NULL;
}
