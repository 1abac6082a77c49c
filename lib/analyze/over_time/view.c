/* SPDX-License-Identifier: BSD-2-Clause */
#include "view.h"

#include <assert.h>
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
	v->first = s->any ? min(0, view_bin(v, s->first_bin, series_k(s))) : 0;
	const int64_t last = s->any ? max(v->end, view_bin(v, s->last_bin, series_k(s))) : v->end;
	v->bins = (size_t)(last - v->first + 1);
}

/*
 * Doubles the interval, beginning with the interval of the bins, until at most `bins` intervals
 * remain.
 */
static void widen(struct view *v, const struct view_source *from, size_t bins)
{
	const int of_cells = cells_k(from->cells), of_series = series_k(from->series),
		  of_calls = from->calls != NULL ? cells_k(from->calls) : of_cells,
		  finer = of_cells < of_series ? of_cells : of_series;
	v->k = v->j = of_calls < finer ? of_calls : finer;
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

/* The bytes of cells are requests if they are calls; see struct view_source. */
static struct cell as_calls(const struct cell *cell)
{
	return (struct cell){.process = cell->process,
			     .bin = cell->bin,
			     .requests = {cell->bytes[0], cell->bytes[1]}};
}

/* The requests of cells are samples if the requests are calls. */
static struct cell as_bytes(const struct cell *cell, const struct view_source *from)
{
	struct cell c = *cell;
	if (from->calls != NULL)
		c.requests[0] = c.requests[1] = 0;
	return c;
}

static void sum_cell(struct view *v, struct cell cell, int k)
{
	const size_t bin = (size_t)(view_bin(v, cell.bin, k) - v->first);
	for (unsigned d = 0; d < 2; d++) {
		v->bytes[bin][d] = saturate_add(v->bytes[bin][d], cell.bytes[d]);
		v->requests[bin][d] += cell.requests[d];
	}
}

static void sum_cells(struct view *v, const struct view_source *from, const struct cells *c)
{
	for (size_t i = 0; i < c->row_capacity; i++) {
		size_t count;
		const struct cell *cell = cells_row_bins(&c->rows[i], &count);
		for (; count-- > 0; cell++)
			sum_cell(v, c == from->calls ? as_calls(cell) : as_bytes(cell, from),
				 cells_k(c));
	}
}

/*
 * Marks the bins in which samples cover less than nine tenths of the time of the hosts. Returns
 * false if out of memory.
 */
static bool leave_out(struct view *v, const struct view_source *from, uint64_t *edge, uint64_t *ns)
{
	const struct time_span *span = &from->span;
	for (size_t i = 0; i <= v->bins; i++)
		edge[i] = view_start(v, i);
	edge[0] = span->begin_ns > edge[0] && span->begin_ns < edge[1] ? span->begin_ns : edge[0];
	if (span->end_ns < edge[v->bins] && span->end_ns > edge[v->bins - 1])
		edge[v->bins] = span->end_ns;
	if (!coverage_sum(from->coverage, edge, v->bins, ns))
		return false;
	for (size_t i = 0; i < v->bins; i++) {
		const uint128 whole = (uint128)(edge[i + 1] - edge[i]) * span->processes;
		v->left_out[i] = (uint128)ns[i] * 10 < whole * 9;
		v->observed -= v->left_out[i];
	}
	return true;
}

static bool observe(struct view *v, const struct view_source *from)
{
	v->observed = v->bins;
	if (from->coverage == NULL)
		return true;
	uint64_t *edge = calloc(v->bins + 1, sizeof *edge), *ns = calloc(v->bins, sizeof *ns);
	v->left_out = calloc(v->bins, sizeof *v->left_out);
	const bool done =
	    edge != NULL && ns != NULL && v->left_out != NULL && leave_out(v, from, edge, ns);
	free(edge);
	free(ns);
	return done;
}

static bool sum_bins(struct view *v, const struct view_source *from)
{
	v->bytes = calloc(v->bins, sizeof *v->bytes);
	v->requests = calloc(v->bins, sizeof *v->requests);
	if (v->bytes == NULL || v->requests == NULL)
		return false;
	sum_cells(v, from, from->cells);
	if (from->calls != NULL)
		sum_cells(v, from, from->calls);
	return observe(v, from);
}

bool view_make(struct view *v, const struct view_source *from, size_t bins)
{
	widen(v, from, bins);
	set_width(v);
	return sum_bins(v, from);
}

/* Appends a cell, or adds it to the last one if that is of the same process and bin. */
static void append(struct view *v, const struct cell *cell, int64_t bin)
{
	assert(v->cells != NULL);
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

/* Appends the cells of a process after the cells of the previous process, in order of bins. */
static void append_row(struct view *v, const struct view_source *from, size_t process)
{
	const struct cells *of[2] = {from->cells, from->calls};
	const struct cell *cell[2] = {NULL, NULL};
	size_t left[2] = {0, 0};
	for (unsigned i = 0; i < 2; i++)
		if (of[i] != NULL && process < of[i]->row_capacity)
			cell[i] = cells_row_bins(&of[i]->rows[process], &left[i]);
	while (left[0] + left[1] > 0) {
		int64_t bin[2] = {INT64_MAX, INT64_MAX};
		for (unsigned i = 0; i < 2; i++)
			if (left[i] > 0)
				bin[i] = view_bin(v, cell[i]->bin, cells_k(of[i]));
		const unsigned next = bin[1] < bin[0];
		const struct cell one = next ? as_calls(cell[1]) : as_bytes(cell[0], from);
		append(v, &one, bin[next]);
		cell[next]++;
		left[next]--;
	}
}

bool view_add_cells(struct view *v, const struct view_source *from)
{
	const size_t calls = from->calls != NULL ? cells_count(from->calls) : 0,
		     rows = from->calls != NULL ? from->calls->row_capacity : 0,
		     all = from->cells->row_capacity;
	v->cells = calloc(cells_count(from->cells) + calls + 1, sizeof *v->cells);
	if (v->cells == NULL)
		return false;
	for (size_t i = 0; i < all || i < rows; i++)
		append_row(v, from, i);
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
	return sum_bins(v, from) && view_add_cells(v, from);
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
	free(v->left_out);
	free(v->bytes);
	free(v->requests);
	free(v->cells);
}
