/* SPDX-License-Identifier: BSD-2-Clause */
#include "heat.h"

#include <math.h>
#include <stdlib.h>

/* The row of each process, by id. */
struct row_of_process {
	uint32_t id;
	uint32_t row;
};

static int by_id(const void *left, const void *right)
{
	const struct row_of_process *a = left, *b = right;
	return (a->id > b->id) - (a->id < b->id);
}

static bool allocate(struct heat *h)
{
	h->rate = calloc(h->rows * h->columns + 1, sizeof *h->rate);
	h->row_bytes = calloc(h->rows + 1, sizeof *h->row_bytes);
	h->column_rate = calloc(h->columns + 1, sizeof *h->column_rate);
	h->first = calloc(h->rows + 1, sizeof *h->first);
	return h->rate != NULL && h->row_bytes != NULL && h->column_rate != NULL &&
	       h->first != NULL;
}

/* Row r has the processes [r * n / rows, (r + 1) * n / rows). */
static size_t first_process(const struct heat *h, size_t row)
{
	return row * h->processes / h->rows;
}

static double bytes_of(const struct process_row *p)
{
	return p->has_bytes[0] && p->has_bytes[1] ? (double)p->bytes[0] + (double)p->bytes[1]
						  : (double)NAN;
}

static void set_rows(struct heat *h, const struct process_list *p, struct row_of_process *rows)
{
	for (size_t r = 0; r < h->rows; r++) {
		h->first[r] = process_list_label(p, first_process(h, r));
		for (size_t i = first_process(h, r); i < first_process(h, r + 1); i++) {
			rows[i] = (struct row_of_process){p->row[i].id, (uint32_t)r};
			h->row_bytes[r] += bytes_of(&p->row[i]);
			h->unknown += isnan(bytes_of(&p->row[i])) ? 1 : 0;
		}
	}
	qsort(rows, p->count, sizeof *rows, by_id);
}

/* The width of a column in seconds; the last one may have fewer bins. */
static double width_of(const struct heat *h, const struct iot_analyze_timeline *t, size_t column)
{
	const size_t left = t->count - column * h->bins_per_column;
	return (double)(left < h->bins_per_column ? left : h->bins_per_column) * t->width_s;
}

static void add_cells(struct heat *h, const struct iot_analyze_timeline *t,
		      const struct row_of_process *rows)
{
	const struct row_of_process *at = NULL;
	for (size_t i = 0; i < t->cell_count; i++) {
		const struct iot_analyze_cell *c = &t->cells[i];
		const struct row_of_process key = {c->process, 0};
		if (at == NULL || at->id != c->process)
			at = bsearch(&key, rows, h->processes, sizeof *rows, by_id);
		if (at == NULL)
			continue;
		const size_t column = c->bin / h->bins_per_column;
		const double rate =
		    ((double)c->bytes[0] + (double)c->bytes[1]) / width_of(h, t, column);
		const size_t members = first_process(h, at->row + 1) - first_process(h, at->row);
		h->rate[at->row * h->columns + column] += rate / (double)members;
		h->column_rate[column] += rate;
	}
}

static void set_range(struct heat *h)
{
	h->min = INFINITY;
	for (size_t i = 0; i < h->rows * h->columns; i++) {
		h->max = fmax(h->max, h->rate[i]);
		if (h->rate[i] > 0)
			h->min = fmin(h->min, h->rate[i]);
	}
}

bool heat_make(struct heat *h, const struct iot_analyze_timeline *t, struct process_list *p)
{
	*h = (struct heat){.processes = p->count, .noun = process_list_noun(p)};
	if (t->count == 0 || p->count == 0)
		return true;
	h->by_bytes = p->count > HEAT_ROWS;
	if (h->by_bytes)
		process_list_sort_by_bytes(p);
	h->rows = h->by_bytes ? HEAT_ROWS : p->count;
	h->bins_per_column = (t->count + HEAT_COLUMNS - 1) / HEAT_COLUMNS;
	h->columns = (t->count + h->bins_per_column - 1) / h->bins_per_column;
	h->column_s = (double)h->bins_per_column * t->width_s;
	h->begin_s = t->begin_s;
	h->end_s = t->begin_s + (double)h->columns * h->column_s;
	struct row_of_process *rows = calloc(p->count, sizeof *rows);
	const bool done = rows != NULL && allocate(h);
	if (done) {
		set_rows(h, p, rows);
		add_cells(h, t, rows);
		set_range(h);
	}
	if (h->by_bytes)
		process_list_sort_by_rank(p);
	free(rows);
	return done;
}

void heat_free(struct heat *h)
{
	free(h->rate);
	free(h->row_bytes);
	free(h->column_rate);
	free(h->first);
	*h = (struct heat){.rows = 0};
}
