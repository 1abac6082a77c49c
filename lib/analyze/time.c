/* SPDX-License-Identifier: BSD-2-Clause */
#include "time.h"

#include <math.h>
#include <stdlib.h>

#include "saturate.h"

enum { READS, WRITES, EITHER, DIRECTIONS };

/* Cells by process and bin of the view, and the sums of each bin. */
struct view {
	int k;
	int64_t first;
	size_t bins;
	double width_s;
	uint64_t (*bytes)[2], (*requests)[2];
	uint32_t *active; /* processes, for one threshold and direction */
	struct cell *cells;
	size_t count;
};

static bool same_bin(const struct cell *a, const struct cell *b)
{
	return a->process == b->process && a->bin == b->bin;
}

/* Adds neighbours of one process and bin. */
static size_t combine(struct cell *cells, size_t n)
{
	size_t used = 0;
	for (size_t i = 0; i < n; i++) {
		if (used == 0 || !same_bin(&cells[used - 1], &cells[i])) {
			cells[used++] = cells[i];
			continue;
		}
		for (unsigned d = 0; d < 2; d++) {
			struct cell *to = &cells[used - 1];
			to->requests[d] += cells[i].requests[d];
			to->bytes[d] = saturate_add(to->bytes[d], cells[i].bytes[d]);
		}
	}
	return used;
}

/* Rows are in order of their bins. */
static void copy_cells(struct view *v, const struct cells *c)
{
	size_t n = 0;
	for (size_t i = 0; i < c->row_capacity; i++)
		for (size_t j = 0; j < c->rows[i].count; j++) {
			v->cells[n] = c->rows[i].cell[j];
			v->cells[n++].bin >>= cells_k(c) - v->k;
		}
	v->count = combine(v->cells, n);
}

static void sum_bins(struct view *v)
{
	for (size_t i = 0; i < v->count; i++) {
		const size_t bin = (size_t)(v->cells[i].bin - v->first);
		for (unsigned d = 0; d < 2; d++) {
			v->bytes[bin][d] = saturate_add(v->bytes[bin][d], v->cells[i].bytes[d]);
			v->requests[bin][d] += v->cells[i].requests[d];
		}
	}
}

/* Bins from the first to the last one that the trace, or a cell, touches. */
static void set_bins(struct view *v, const struct cells *c, const struct time_span *span)
{
	const uint64_t end = span->end_ns > span->begin_ns ? span->end_ns - 1 : span->begin_ns;
	const int shift = cells_k(c) - v->k;
	const int64_t first = cells_bin(span->begin_ns, v->k), last = cells_bin(end, v->k);
	const int64_t cell_first = c->first_bin >> shift, cell_last = c->last_bin >> shift;
	v->first = first < cell_first ? first : cell_first;
	v->bins = (size_t)((last > cell_last ? last : cell_last) - v->first + 1);
}

static void view_free(struct view *v)
{
	free(v->bytes);
	free(v->requests);
	free(v->active);
	free(v->cells);
}

static bool view_make(struct view *v, const struct cells *c, const struct time_span *span)
{
	v->k = cells_k(c) < 0 ? cells_k(c) : 0;
	for (set_bins(v, c, span); v->bins > CELLS_BINS_MAX; set_bins(v, c, span))
		v->k--;
	v->width_s = ldexp(1, -v->k);
	v->bytes = calloc(v->bins, sizeof *v->bytes);
	v->requests = calloc(v->bins, sizeof *v->requests);
	v->active = calloc(v->bins, sizeof *v->active);
	v->cells = calloc(cells_count(c), sizeof *v->cells);
	if (v->bytes == NULL || v->requests == NULL || v->active == NULL || v->cells == NULL)
		return false;
	copy_cells(v, c);
	sum_bins(v);
	return true;
}

static uint64_t in_direction(const uint64_t of[2], unsigned direction)
{
	return direction == EITHER ? saturate_add(of[0], of[1]) : of[direction];
}

static void peaks(const struct view *view, struct values *v)
{
	static const char *const names[2][DIRECTIONS] = {{"B_max_r", "B_max_w", "B_max"},
							 {"IOPS_max_r", "IOPS_max_w", "IOPS_max"}};
	for (unsigned d = 0; d < DIRECTIONS; d++) {
		uint64_t bytes = 0, requests = 0;
		for (size_t i = 0; i < view->bins; i++) {
			const uint64_t b = in_direction(view->bytes[i], d),
				       n = in_direction(view->requests[i], d);
			bytes = b > bytes ? b : bytes;
			requests = n > requests ? n : requests;
		}
		values_real(v, names[0][d], NULL, "bytes/s", (double)bytes / view->width_s);
		values_real(v, names[1][d], NULL, "1/s", (double)requests / view->width_s);
	}
}

/* Activity */

static const struct threshold {
	const char *key;
	bool of_requests; /* any request counts */
	uint64_t bytes;   /* per second */
} thresholds[] = {{"0 requests", true, 0},    {"0", false, 0},           {"1024", false, 1024},
		  {"8192", false, 8192},      {"131072", false, 131072}, {"524288", false, 524288},
		  {"1048576", false, 1048576}};

enum { THRESHOLDS = sizeof thresholds / sizeof thresholds[0] };

/* Strictly more than the threshold times the width of a bin. */
static bool is_active(const struct threshold *t, const struct cell *c, unsigned direction, int k)
{
	if (t->of_requests)
		return in_direction(c->requests, direction) > 0;
	const uint128 bytes = in_direction(c->bytes, direction);
	return k >= 0 ? bytes << k > t->bytes : bytes > (uint128)t->bytes << -k;
}

struct activity {
	uint64_t active, idle;           /* bins */
	uint64_t active_runs, idle_runs; /* of such bins */
	uint64_t processes;              /* active processes, summed over all bins */
};

static struct activity count_activity(struct view *view, const struct threshold *t, unsigned d)
{
	struct activity a = {.active = 0};
	for (size_t i = 0; i < view->bins; i++)
		view->active[i] = 0;
	for (size_t i = 0; i < view->count; i++)
		if (is_active(t, &view->cells[i], d, view->k))
			view->active[view->cells[i].bin - view->first]++;
	for (size_t i = 0; i < view->bins; i++) {
		const bool active = view->active[i] > 0;
		const bool starts = i == 0 || active != (view->active[i - 1] > 0);
		a.active += active;
		a.idle += !active;
		a.active_runs += starts && active;
		a.idle_runs += starts && !active;
		a.processes += view->active[i];
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

static void activity_values(struct view *view, uint64_t processes, struct values *v)
{
	static const char *const names[DIRECTIONS][2] = {{"intensity_r", "burstiness_r"},
							 {"intensity_w", "burstiness_w"},
							 {"intensity", "burstiness"}};
	static const char *const parallel[DIRECTIONS][2] = {
	    {"parallel_intensity_r", "parallel_intensity_normalised_r"},
	    {"parallel_intensity_w", "parallel_intensity_normalised_w"},
	    {"parallel_intensity", "parallel_intensity_normalised"}};
	struct activity a[THRESHOLDS];
	for (unsigned d = 0; d < DIRECTIONS; d++) {
		for (size_t t = 0; t < THRESHOLDS; t++)
			a[t] = count_activity(view, &thresholds[t], d);
		for (size_t t = 0; t < THRESHOLDS; t++)
			values_real(v, names[d][0], thresholds[t].key, "",
				    (double)a[t].active / (double)view->bins);
		for (size_t t = 0; t < THRESHOLDS; t++)
			values_real(v, names[d][1], thresholds[t].key, "", burstiness(&a[t]));
		parallel_values(&a[THRESHOLDS - 1], processes, parallel[d], "1048576", v);
	}
}

/* A type dominates a bin with nine in ten of its requests. */
static void dominating_type(const struct view *view, struct values *v)
{
	static const char *const keys[] = {"read", "write", "read/write", "none"};
	uint64_t bins[4] = {0};
	for (size_t i = 0; i < view->bins; i++) {
		const uint64_t r = view->requests[i][0], w = view->requests[i][1];
		bins[r + w == 0 ? 3 : 9 * w <= r ? 0 : 9 * r <= w ? 1 : 2]++;
	}
	for (unsigned type = 0; type < 4; type++)
		values_real(v, "dominating_type", keys[type], "",
			    (double)bins[type] / (double)view->bins);
}

/* The share of the bins up to a share of the peak rate. */
static void below_peak(const struct view *view, struct values *v)
{
	uint64_t peak = 0, below = 0;
	uint128 sum = 0;
	for (size_t i = 0; i < view->bins; i++) {
		const uint64_t bytes = in_direction(view->bytes[i], EITHER);
		peak = bytes > peak ? bytes : peak;
		sum += bytes;
	}
	for (size_t i = 0; i < view->bins; i++)
		below += (uint128)in_direction(view->bytes[i], EITHER) * 100 < (uint128)peak * 33;
	values_ratio(v, "peak_to_mean", NULL, "", (double)peak * (double)view->bins, (double)sum,
		     "no bytes");
	values_ratio(v, "below_33_percent_of_peak", NULL, "", (double)below,
		     peak > 0 ? (double)view->bins : 0, "no bytes");
}

/* Joins of parts whose intervals overlap too much leave some unknown. */
static void busy_value(const struct busy *b, enum busy_kind kind, const char *name, uint64_t ns,
		       struct values *v)
{
	if (b->inexact[kind])
		values_unknown(v, name, NULL, "ns", BUSY_INEXACT);
	else
		values_number(v, name, NULL, "ns", ns);
}

static void busy_share(const struct busy *b, enum busy_kind kind, const char *name, double all,
		       struct values *v)
{
	if (b->inexact[kind])
		values_unknown(v, name, NULL, "", BUSY_INEXACT);
	else
		values_ratio(v, name, NULL, "", (double)busy_sum(b, kind), all,
			     "the trace has no duration");
}

static void busy_values(const struct busy *b, const struct time_span *span, struct values *v)
{
	static const char *const names[BUSY_KINDS] = {"t_r", "t_w", "md_time", "io_time",
						      "io_md_time"};
	const double all = (double)span->runtime_ns * (double)span->processes;
	for (unsigned kind = 0; kind < BUSY_KINDS; kind++)
		busy_value(b, kind, names[kind], busy_sum(b, kind), v);
	busy_value(b, BUSY_IO, "io_time_max", busy_max(b, BUSY_IO), v);
	busy_share(b, BUSY_IO, "io_share", all, v);
	busy_share(b, BUSY_ALL, "io_md_share", all, v);
}

bool time_values(const struct cells *c, const struct busy *b, const struct time_span *span,
		 struct values *v)
{
	struct view view = {.k = 0};
	bool done = true;
	v->section = "time";
	busy_values(b, span, v);
	if (cells_count(c) == 0)
		return true;
	done = view_make(&view, c, span);
	if (done) {
		values_real(v, "bin_width", NULL, "s", view.width_s);
		values_number(v, "bins", NULL, "", view.bins);
		peaks(&view, v);
		activity_values(&view, span->processes, v);
		dominating_type(&view, v);
		below_peak(&view, v);
	}
	view_free(&view);
	return done;
}
