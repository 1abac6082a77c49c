/* SPDX-License-Identifier: BSD-2-Clause */
/* Saves and loads the bins over time, which are settled; see state.h. */
#include "bins_state.h"

#include <stdlib.h>
#include <string.h>

enum { LEVEL_MAX = 16 /* a piece is shorter than the bins */ };

int bins_coarser_state(struct state *s, int coarser)
{
	uint32_t n = (uint32_t)coarser;
	state_small(s, "coarser", &n, CELLS_COARSER_MAX);
	return (int)n;
}

void bins_span_state(struct state *s, int k, uint64_t max_bins, int64_t *first, int64_t *last)
{
	const int64_t max = cells_bin(UINT64_MAX, k);
	uint64_t from = (uint64_t)*first, bins = (uint64_t)(*last - *first) + 1;
	state_limited(s, "first", &from, (uint64_t)max);
	state_limited(s, "bins", &bins, max_bins);
	state_check(s, bins > 0 && bins - 1 <= (uint64_t)max - from, "bins of times of 64 bits");
	*first = (int64_t)from;
	*last = (int64_t)(from + bins - 1);
}

/* Cells */

static void cell_columns(struct state *s, const struct cells *c, const struct state_numbers *rows,
			 struct cell *cell)
{
	static const char *const n[2] = {"n", "n_w"}, *const bytes[2] = {"s", "s_w"};
	uint64_t bin = (uint64_t)(cell->bin - c->first_bin);
	state_reference(s, "p", rows, &cell->process);
	state_limited(s, "bin", &bin, (uint64_t)(c->last_bin - c->first_bin));
	state_shares(s, n, cell->requests, NULL, 2);
	state_shares(s, bytes, cell->bytes, cell->requests, 2);
	cell->bin = c->first_bin + (int64_t)bin;
}

static void piece_columns(struct state *s, const struct cells *c, const struct state_numbers *rows,
			  struct cell *cell)
{
	uint64_t bin = (uint64_t)(cell->bin - c->first_bin);
	uint32_t level = cell->level;
	state_reference(s, "p", rows, &cell->process);
	state_limited(s, "bin", &bin, (uint64_t)(c->last_bin - c->first_bin));
	state_small(s, "level", &level, LEVEL_MAX);
	state_number(s, "s_r", &cell->bytes[0]);
	state_number(s, "s_w", &cell->bytes[1]);
	cell->bin = c->first_bin + (int64_t)bin;
	cell->level = (uint8_t)level;
	const int64_t bins = (int64_t)1 << level;
	state_check(s, level > 0 && cell->bin % bins == 0 && cell->bin + bins - 1 <= c->last_bin,
		    "pieces of a power of two of bins");
}

/* Appends a cell to the row of its process. The bins come first, in order. */
static void load_cell(struct state *s, struct cells *c, const struct cell *cell)
{
	struct cells_row *row =
	    state_at(s, &c->rows, &c->row_capacity, cell->process, sizeof *c->rows);
	if (row == NULL)
		return;
	const bool is_piece = cell->level > 0;
	state_check(s, is_piece || row->count == 0 || row->cell[row->count - 1].bin < cell->bin,
		    "bins in order");
	state_check(s, (is_piece ? c->pieces : c->sorted) < CELLS_MAX, "up to 1048576 cells");
	struct cell *to = state_failed(s) ? NULL
					  : state_at(s, &row->cell, &row->capacity, row->count,
						     sizeof *row->cell);
	if (to == NULL)
		return;
	*to = *cell;
	row->count++;
	row->sorted += !is_piece;
	c->sorted += !is_piece;
}

/* The next cell in order of processes; false: none. */
static bool next_cell(const struct state_numbers *rows, const struct cells *c, bool piece,
		      size_t *row, size_t *at, struct cell *cell)
{
	for (; *row < rows->count; ++*row, *at = 0) {
		const size_t process = rows->own[*row];
		while (process < c->row_capacity && *at < c->rows[process].count) {
			*cell = c->rows[process].cell[(*at)++];
			if ((cell->level > 0) == piece)
				return true;
		}
	}
	return false;
}

static void list_state(struct state *s, struct cells *c, const struct state_numbers *rows,
		       bool piece, bool any)
{
	struct cell cell = {0};
	size_t row = 0, at = 0;
	while (state_list(s, piece ? "cell.piece" : "cell",
			  state_saves(s) && any && next_cell(rows, c, piece, &row, &at, &cell))) {
		state_check(s, any, "cells in a span");
		if (piece)
			piece_columns(s, c, rows, &cell);
		else
			cell_columns(s, c, rows, &cell);
		if (!state_saves(s) && !state_failed(s))
			load_cell(s, c, &cell);
	}
}

/* The requests of a small trace */

static void request_columns(struct state *s, const struct state_numbers *rows,
			    struct cells_request *q)
{
	uint64_t ns = q->end_ns - q->start_ns + q->lasts;
	state_reference(s, "p", rows, &q->process);
	state_number(s, "start", &q->start_ns);
	state_number(s, "ns", &ns);
	state_number(s, "length", &q->length);
	state_flag(s, "write", &q->write);
	q->lasts = ns > 0;
	q->end_ns = q->start_ns + ns - q->lasts;
	state_check(s, q->end_ns >= q->start_ns, "times of 64 bits");
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* Orders by row; meanwhile `process` is the number of a row. */
static int by_process(const void *left, const void *right)
{
	const struct cells_request *a = left, *b = right;
	int order = compare_numbers(a->process, b->process);
	order = order != 0 ? order : compare_numbers(a->start_ns, b->start_ns);
	order = order != 0 ? order : compare_numbers(a->end_ns, b->end_ns);
	order = order != 0 ? order : compare_numbers(a->lasts, b->lasts);
	order = order != 0 ? order : compare_numbers(a->length, b->length);
	return order != 0 ? order : compare_numbers(a->write, b->write);
}

static void sort_requests(struct cells *c, const struct state_numbers *rows)
{
	for (size_t i = 0; i < c->deferred_count; i++)
		c->deferred[i].process = rows->index[c->deferred[i].process] - 1;
	if (c->deferred_count > 0)
		qsort(c->deferred, c->deferred_count, sizeof *c->deferred, by_process);
	for (size_t i = 0; i < c->deferred_count; i++)
		c->deferred[i].process = rows->own[c->deferred[i].process];
}

static void deferred_state(struct state *s, struct cells *c, const struct state_numbers *rows)
{
	const size_t count = c->deferred_count;
	struct cells_request q = {0};
	if (state_saves(s))
		sort_requests(c, rows);
	for (size_t i = 0; state_list(s, "cell.request", i < count); i++) {
		q = i < count ? c->deferred[i] : q;
		request_columns(s, rows, &q);
		state_check(s, i + 1 < CELLS_DEFERRED, "up to 65535 requests");
		if (!state_saves(s) && !state_failed(s) && !cells_defer(c, &q))
			state_no_memory(s);
	}
}

void cells_state(struct state *s, struct cells *c, const struct state_numbers *rows)
{
	size_t i;
	bool any = c->many && c->sorted > 0;
	deferred_state(s, c, rows);
	while (state_each(s, "cells", any || !state_saves(s), &i)) {
		state_check(s, c->deferred_count == 0, "cells or requests");
		state_flag(s, "any", &any);
		c->many = c->started = true;
		c->coarser = bins_coarser_state(s, c->coarser);
		bins_span_state(s, cells_k(c), (uint64_t)cells_bins_max(cells_k(c)), &c->first_bin,
				&c->last_bin);
	}
	list_state(s, c, rows, false, any);
	list_state(s, c, rows, true, any);
}

/* Series */

/* The columns have what the requests of the state do not make. */
static void series_columns(struct state *s, struct series_bin *bin, const struct series_bin *made)
{
	uint64_t in_flight_ns = bin->in_flight_ns - made->in_flight_ns;
	bool requests = bin->requests != made->requests;
	state_number(s, "in_flight", &in_flight_ns);
	state_number(s, "ops", &bin->operations);
	state_flag(s, "requests", &requests);
	bin->in_flight_ns = made->in_flight_ns + in_flight_ns;
	bin->requests = requests != made->requests;
}

/* Makes the bins of the few requests of the state. */
static void make_bins(struct state *s, const struct series *like, const struct cells *c,
		      struct series *made)
{
	*made = (struct series){.coarser = like->coarser,
				.any = like->any,
				.first_bin = like->first_bin,
				.last_bin = like->last_bin,
				.bins = calloc(CELLS_BINS_MAX, sizeof *made->bins)};
	bool done = made->bins != NULL;
	const size_t count = c != NULL && like->any ? c->deferred_count : 0;
	for (size_t i = 0; i < count && done && !state_failed(s); i++) {
		const struct cells_request *q = &c->deferred[i];
		done = series_add_request(made, q->start_ns, q->end_ns + q->lasts);
		state_check(s,
			    made->first_bin == like->first_bin && made->last_bin == like->last_bin,
			    "requests in the span of the series");
	}
	if (!done)
		state_no_memory(s);
	else
		series_settle(made);
}

static void series_bins_state(struct state *s, struct series *series, const struct series *made)
{
	const int64_t bins = series->any ? series->last_bin - series->first_bin + 1 : 0;
	size_t i;
	if (!state_saves(s) && series->any)
		memcpy(series->bins, made->bins, CELLS_BINS_MAX * sizeof *made->bins);
	while (state_each(s, "series.bin", (size_t)bins, &i)) {
		const size_t at = (uint64_t)(series->first_bin + (int64_t)i) % CELLS_BINS_MAX;
		series_columns(s, &series->bins[at], &made->bins[at]);
	}
}

void series_state(struct state *s, struct series *series, const struct cells *c)
{
	size_t i;
	while (state_each(s, "series", series->any || !state_saves(s), &i)) {
		state_flag(s, "any", &series->any);
		series->coarser = bins_coarser_state(s, series->coarser);
		bins_span_state(s, series_k(series), (uint64_t)cells_bins_max(series_k(series)),
				&series->first_bin, &series->last_bin);
	}
	if (series->any && series->bins == NULL)
		series->bins = calloc(CELLS_BINS_MAX, sizeof *series->bins);
	if (series->any && series->bins == NULL) {
		state_no_memory(s);
		return;
	}
	struct series made;
	make_bins(s, series, c, &made);
	if (!state_failed(s))
		series_bins_state(s, series, &made);
	series_free(&made);
}

/* A view has the bins of the series. */
static bool are_within(const struct cells *c, const struct series *s)
{
	const int k = cells_k(c) < series_k(s) ? cells_k(c) : series_k(s),
		  of_cells = cells_k(c) - k, of_series = series_k(s) - k;
	return c->sorted == 0 || (s->any && c->first_bin >> of_cells >= s->first_bin >> of_series &&
				  c->last_bin >> of_cells <= s->last_bin >> of_series);
}

void bins_check_state(struct state *s, const struct cells *c, const struct series *series)
{
	state_check(s, are_within(c, series), "cells in the span of the series");
	state_check(s, !series->any || s->processes.count > 0, "processes");
}
