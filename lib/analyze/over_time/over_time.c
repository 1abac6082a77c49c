/* SPDX-License-Identifier: BSD-2-Clause */
#include "over_time.h"

#include <stdlib.h>
#include <string.h>

#include "bursts.h"

static void copy_bins(struct iot_analyze_bin *to, const struct view *v)
{
	for (size_t i = 0; i < v->bins; i++) {
		memcpy(to[i].bytes, v->bytes[i], sizeof to[i].bytes);
		memcpy(to[i].requests, v->requests[i], sizeof to[i].requests);
	}
}

/* Samples have no requests in flight. */
static void add_series(struct iot_analyze_bin *to, const struct view *v,
		       const struct view_source *from)
{
	const struct series *s = from->series;
	for (int64_t bin = s->first_bin; s->any && bin <= s->last_bin; bin++) {
		struct iot_analyze_bin *at = &to[view_bin(v, bin, series_k(s)) - v->first];
		at->operations += series_at(s, bin)->operations;
		if (from->calls == NULL)
			at->in_flight_ns =
			    saturate_add(at->in_flight_ns, series_at(s, bin)->in_flight_ns);
	}
}

static void copy_cells(struct iot_analyze_cell *to, const struct view *v)
{
	for (size_t i = 0; i < v->count; i++) {
		const struct cell *from = &v->cells[i];
		to[i].process = from->process;
		to[i].bin = (uint32_t)(from->bin - v->first);
		memcpy(to[i].bytes, from->bytes, sizeof to[i].bytes);
		memcpy(to[i].requests, from->requests, sizeof to[i].requests);
	}
}

double over_time_seconds(uint64_t from, uint64_t to)
{
	return to >= from ? (double)(to - from) / 1e9 : -((double)(from - to) / 1e9);
}

static bool copy(struct over_time *t, const struct view *v, const struct view_source *from,
		 struct iot_analyze_timeline *to)
{
	t->bins = calloc(v->bins + 1, sizeof *t->bins);
	t->cells = calloc(v->count + 1, sizeof *t->cells);
	if (t->bins == NULL || t->cells == NULL)
		return false;
	copy_bins(t->bins, v);
	add_series(t->bins, v, from);
	copy_cells(t->cells, v);
	to->width_s = v->width_s;
	to->begin_s = over_time_seconds(from->span.begin_ns, view_start(v, 0));
	to->end_s = over_time_seconds(from->span.begin_ns, from->span.end_ns);
	to->begin_ns = from->span.begin_ns;
	to->count = v->bins;
	to->cell_count = v->count;
	to->bins = t->bins;
	to->cells = t->cells;
	return true;
}

static bool add_bursts(struct over_time *t, const struct view_source *from,
		       struct iot_analyze_timeline *to)
{
	uint64_t *start_ns = NULL;
	const bool found = burst_starts(from, &start_ns, &to->burst_count);
	t->burst_s = found ? calloc(to->burst_count + 1, sizeof *t->burst_s) : NULL;
	for (size_t i = 0; t->burst_s != NULL && i < to->burst_count; i++)
		t->burst_s[i] = over_time_seconds(from->span.begin_ns, start_ns[i]);
	free(start_ns);
	to->burst_s = t->burst_s;
	return t->burst_s != NULL;
}

bool over_time_make(struct over_time *t, const struct view_source *from, size_t max,
		    struct iot_analyze_timeline *to)
{
	struct view view = {.k = 0};
	over_time_free(t);
	*to = (struct iot_analyze_timeline){.count = 0};
	if (!from->series->any)
		return true;
	const bool made = max == 0 ? view_make_main(&view, from)
				   : view_make(&view, from, max) && view_add_cells(&view, from);
	const bool done = made && copy(t, &view, from, to) && add_bursts(t, from, to);
	view_free(&view);
	return done;
}

void over_time_free(struct over_time *t)
{
	free(t->bins);
	free(t->cells);
	free(t->burst_s);
	*t = (struct over_time){.bins = NULL};
}
