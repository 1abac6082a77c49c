/* SPDX-License-Identifier: BSD-2-Clause */
#include "view.h"

#include <math.h>
#include <stdlib.h>

static const uint64_t ns_per_s = 1000000000;

/* Rounds towards minus infinity; b > 0. */
static int64_t floor_div(int128 a, int128 b)
{
	return (int64_t)(a / b - (a % b < 0));
}

/* Returns the interval in which a bin begins. bin: the number of a bin of width 2^-k s. */
static int64_t interval_of(const struct view *v, int64_t bin)
{
	if (v->interval_ns == 0)
		return bin >> (v->k - v->j);
	const unsigned finer = v->k > 0 ? (unsigned)v->k : 0,
		       coarser = v->k < 0 ? (unsigned)-v->k : 0;
	return floor_div((int128)bin * (int64_t)ns_per_s << coarser,
			 (int128)v->interval_ns << finer);
}

int64_t view_bin(const struct view *v, int64_t bin, int k)
{
	const int64_t b = bin >> (k - v->k), i = interval_of(v, b - v->origin);
	return b <= v->end_bin && i > v->end ? v->end : i;
}

static int64_t min(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t max(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Counts intervals from the bin in which the time span begins, up to its end. */
static void set_origin(struct view *v, const struct time_span *span)
{
	const uint64_t end = span->end_ns > span->begin_ns ? span->end_ns - 1 : span->begin_ns,
		       length = end - span->begin_ns;
	v->origin = cells_bin(span->begin_ns, v->k);
	v->end_bin = cells_bin(end, v->k);
	v->end = v->interval_ns != 0 ? (int64_t)(length / v->interval_ns)
		 : v->j < v->k       ? cells_bin(length, v->j)
				     : v->end_bin - v->origin;
}

/* Sets the intervals that the time span, the requests and the operations cover. */
static void set_bins(struct view *v, const struct view_source *from)
{
	const struct series *s = from->series;
	set_origin(v, &from->span);
	v->first = min(0, view_bin(v, s->first_bin, series_k(s)));
	v->bins = (size_t)(max(v->end, view_bin(v, s->last_bin, series_k(s))) - v->first + 1);
}

/* Doubles the interval, beginning with that of the bins, until at most `bins` intervals remain. */
static void widen(struct view *v, const struct view_source *from, size_t bins)
{
	const int of_cells = cells_k(from->cells), of_series = series_k(from->series);
	v->k = v->j = of_cells < of_series ? of_cells : of_series;
	for (set_bins(v, from); v->bins > (size_t)cells_bins_max(v->j); set_bins(v, from))
		v->k = --v->j;
	for (; v->bins > bins; set_bins(v, from))
		--v->j;
}

static void set_width(struct view *v)
{
	v->width_num = v->interval_ns != 0 ? v->interval_ns
		       : v->j < 0          ? ns_per_s << -v->j
					   : ns_per_s;
	v->width_den = v->interval_ns == 0 && v->j > 0 ? (uint64_t)1 << v->j : 1;
	v->width_s = v->interval_ns != 0 ? (double)v->interval_ns / 1e9 : ldexp(1, -v->j);
}

static void sum_cell(struct view *v, const struct cell *cell, size_t bin)
{
	for (unsigned d = 0; d < 2; d++) {
		v->bytes[bin][d] = saturate_add(v->bytes[bin][d], cell->bytes[d]);
		v->requests[bin][d] += cell->requests[d];
	}
}

static bool sum_bins(struct view *v, const struct cells *c)
{
	v->bytes = calloc(v->bins, sizeof *v->bytes);
	v->requests = calloc(v->bins, sizeof *v->requests);
	if (v->bytes == NULL || v->requests == NULL)
		return false;
	for (size_t i = 0; i < c->row_capacity; i++) {
		size_t count;
		const struct cell *cell = cells_row_bins(&c->rows[i], &count);
		for (; count-- > 0; cell++)
			sum_cell(v, cell, (size_t)(view_bin(v, cell->bin, cells_k(c)) - v->first));
	}
	return true;
}

bool view_make(struct view *v, const struct view_source *from, size_t bins)
{
	widen(v, from, bins);
	set_width(v);
	return sum_bins(v, from->cells);
}

/* Appends a cell, or adds it to the last one if that is of the same process and bin. */
static void append(struct view *v, const struct cell *cell, int64_t bin)
{
	struct cell *last = v->count > 0 ? &v->cells[v->count - 1] : NULL;
	if (last == NULL || last->process != cell->process || last->bin != bin) {
		v->cells[v->count] = *cell;
		v->cells[v->count++].bin = bin;
		return;
	}
	for (unsigned d = 0; d < 2; d++) {
		last->requests[d] += cell->requests[d];
		last->bytes[d] = saturate_add(last->bytes[d], cell->bytes[d]);
	}
}

/* Rows are in order of their bins. */
bool view_add_cells(struct view *v, const struct cells *c)
{
	v->cells = calloc(cells_count(c) + 1, sizeof *v->cells);
	if (v->cells == NULL)
		return false;
	for (size_t i = 0; i < c->row_capacity; i++) {
		size_t count;
		const struct cell *cell = cells_row_bins(&c->rows[i], &count);
		for (; count-- > 0; cell++)
			append(v, cell, view_bin(v, cell->bin, cells_k(c)));
	}
	return true;
}

/* True if an interval is not shorter than a bin of width 2^-k s. */
static bool holds_bin(uint64_t interval_ns, int k)
{
	return k >= 0 ? (uint128)interval_ns << k >= ns_per_s
		      : interval_ns >= (uint128)ns_per_s << -k;
}

/* Chooses intervals of a second, or less if a short run would have too few of them. */
static void choose_width(struct view *v, const struct view_source *from)
{
	const int seconds = v->k < 0 ? v->k : 0;
	v->j = seconds;
	for (set_bins(v, from); v->bins < VIEW_BINS_MIN && v->j < v->k; set_bins(v, from))
		v->j++;
	if (v->bins < VIEW_BINS_MIN)
		v->j = seconds;
}

bool view_make_main(struct view *v, const struct view_source *from)
{
	widen(v, from, CELLS_BINS_MAX);
	if (from->span.interval_ns == 0)
		choose_width(v, from);
	else if (holds_bin(from->span.interval_ns, v->k))
		v->interval_ns = from->span.interval_ns;
	set_bins(v, from);
	set_width(v);
	return sum_bins(v, from->cells) && view_add_cells(v, from->cells);
}

uint64_t view_start(const struct view *v, size_t bin)
{
	const int64_t at = v->first + (int64_t)bin;
	if (v->interval_ns == 0)
		return cells_start(v->origin + at * ((int64_t)1 << (v->k - v->j)), v->k);
	return cells_start(v->origin, v->k) + (uint64_t)at * v->interval_ns;
}

void view_free(struct view *v)
{
	free(v->bytes);
	free(v->requests);
	free(v->cells);
}
