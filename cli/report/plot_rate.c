/* SPDX-License-Identifier: BSD-2-Clause */
/* The data rate, and the rate of requests, over time. */
#include <math.h>
#include <stdio.h>

#include "lib/result/names.h"

#include "canvas.h"

static bool has_data(const struct plot_data *d)
{
	return d->columns.count > 0;
}

/* The width of the bins, in the corner; of several in a column, how they are drawn. */
static void draw_width(const struct plot_data *d, struct output *o)
{
	char text[96], s[SVG_LABEL];
	canvas_seconds(s, d->columns.width_s);
	if (d->columns.bins_per_column > 1)
		snprintf(text, sizeof text, "bins of %s, %zu in a column: mean, and min to max", s,
			 d->columns.bins_per_column);
	else
		snprintf(text, sizeof text, "bins of %s", s);
	canvas_text(o, PLOT_WIDTH - CANVAS_RIGHT, 18, "end", text);
}

static bool is_empty(const struct plot_column *c, const enum column_kind *kinds, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (c->max[kinds[k]] > 0)
			return false;
	return true;
}

/* Transparent columns with the values as tooltips. */
static void draw_tips(const struct plot_data *d, struct output *o, const struct svg_frame *f,
		      const char *const names[], const enum column_kind *kinds, size_t n,
		      const char *unit)
{
	char value[SVG_LABEL];
	for (size_t i = 0; i < d->columns.count; i++) {
		const struct plot_column *c = &d->columns.column[i];
		const double x = svg_x(f, c->begin_s);
		if (is_empty(c, kinds, n))
			continue;
		canvas_rect(o, "t", x, f->top, svg_x(f, c->end_s) - x, f->height);
		output_printf(o, "%.6g to %.6g s", c->begin_s, c->end_s);
		for (size_t k = 0; k < n; k++)
			output_printf(o, "%s %s %s", k == 0 ? ":" : ",", names[k],
				      canvas_si(value, c->mean[kinds[k]], unit));
		canvas_rect_end(o);
	}
}

/* Every second cycle has a shade, unless they are too narrow to see. */
static void draw_cycles(const struct plot_data *d, struct output *o, const struct svg_frame *f)
{
	enum { CYCLES_MAX = 120 };
	const struct columns *c = &d->columns;
	const double period = plot_number(d, VALUE(cycles, period_s), NULL);
	if (isnan(period) || (c->end_s - c->begin_s) / period > CYCLES_MAX)
		return;
	output_text(o, "<path class=\"z\" d=\"");
	for (unsigned i = 0; i < CYCLES_MAX; i += 2) {
		const double at = c->column[0].begin_s + i * period;
		if (at + period < c->end_s)
			output_printf(o, "M%.1f,%dH%.1fv%dH%.1fz", svg_x(f, at), f->top,
				      svg_x(f, at + period), f->height, svg_x(f, at));
	}
	output_text(o, "\"><title>every second cycle</title></path>\n");
}

/* A tick below the axis for each burst; of those in one column, the first. */
static void draw_bursts(const struct plot_data *d, struct output *o, const struct svg_frame *f)
{
	enum { TICK = 4 };
	double last = -1;
	if (d->burst_count == 0)
		return;
	output_text(o, "<path class=\"l k\" d=\"");
	for (size_t i = 0; i < d->burst_count; i++) {
		const double x = svg_x(f, d->burst_s[i]);
		if (x - last < (double)f->width / COLUMNS_MAX)
			continue;
		last = x;
		output_printf(o, "M%.1f,%dv%d", x, f->top + f->height, TICK);
	}
	output_printf(o, "\"><title>starts of %zu bursts</title></path>\n", d->burst_count);
}

/* The longest times in which samples of too many hosts are missing are grey. */
static void draw_gaps(const struct plot_data *d, struct output *o, const struct svg_frame *f)
{
	const struct iot_analyze_value *v;
	for (size_t i = 0; (v = plot_next(d, &i, VALUE(samples, gap_begin_s))) != NULL;) {
		const double length = plot_number(d, VALUE(samples, gap_length_s), v->key),
			     x = svg_x(f, v->real);
		canvas_rect(o, "b o", x, f->top, svg_x(f, v->real + length) - x, f->height);
		output_printf(o, "not observed for %.6g s", length);
		canvas_rect_end(o);
	}
}

static void draw_rate(const struct plot_data *d, struct output *o)
{
	static const struct canvas_legend legend[] = {{"f r", "read"},
						      {"f w", "written"},
						      {"l k", "starts of bursts"},
						      {0}},
					  with_band[] = {{"f r", "read"},
							 {"f w", "written"},
							 {"l k", "starts of bursts"},
							 {"b o", "lowest to highest bin"},
							 {0}};
	static const char *const names[] = {"read", "written"};
	static const enum column_kind kinds[] = {COLUMN_READ, COLUMN_WRITTEN};
	const struct columns *c = &d->columns;
	struct svg_frame f = {CANVAS_FRAME};
	canvas_set_time(&f, c->begin_s, c->end_s);
	canvas_set_max(&f, columns_max(c, COLUMN_BYTES), &canvas_byte_rates);
	canvas_axes(o, &f);
	draw_cycles(d, o, &f);
	draw_gaps(d, o, &f);
	canvas_area(o, &f, c, COLUMN_KINDS, COLUMN_READ, 1, "f r");
	canvas_area(o, &f, c, COLUMN_READ, COLUMN_WRITTEN, 1, "f w");
	canvas_band(o, &f, c, COLUMN_BYTES, 1, "b o");
	draw_bursts(d, o, &f);
	canvas_legend(o, CANVAS_LEFT, c->bins_per_column > 1 ? with_band : legend);
	draw_width(d, o);
	draw_tips(d, o, &f, names, kinds, 2, "B/s");
}

static void draw_requests(const struct plot_data *d, struct output *o)
{
	static const struct canvas_legend legend[] = {{"l r", "reads"},
						      {"l d w", "writes"},
						      {"l p m", "metadata operations"},
						      {0}},
					  without_operations[] = {
					      {"l r", "reads"}, {"l d w", "writes"}, {0}};
	static const char *const names[] = {"reads", "writes", "operations"};
	static const enum column_kind kinds[] = {COLUMN_READS, COLUMN_WRITES, COLUMN_OPERATIONS};
	static const char *const bands[] = {"b r", "b w", "b m"};
	const struct columns *c = &d->columns;
	const unsigned n = columns_max(c, COLUMN_OPERATIONS) > 0 ? 3 : 2;
	struct svg_frame f = {CANVAS_FRAME};
	double max = 0;
	for (unsigned i = 0; i < n; i++)
		max = fmax(max, columns_max(c, kinds[i]));
	canvas_set_time(&f, c->begin_s, c->end_s);
	canvas_set_max(&f, max, &canvas_numbers);
	canvas_axes(o, &f);
	for (unsigned i = 0; i < n; i++) {
		canvas_band(o, &f, c, kinds[i], 1, bands[i]);
		canvas_steps(o, &f, c, kinds[i], 1, legend[i].mark);
	}
	canvas_legend(o, CANVAS_LEFT, n == 3 ? legend : without_operations);
	draw_width(d, o);
	draw_tips(d, o, &f, names, kinds, n, "/s");
}

/* The bursts that start before the end of column i, as far as these are not counted yet. */
static size_t count_bursts(const struct plot_data *d, size_t i, size_t *counted)
{
	const size_t first = *counted;
	const bool last = i + 1 == d->columns.count;
	while (*counted < d->burst_count &&
	       (last || d->burst_s[*counted] < d->columns.column[i].end_s))
		++*counted;
	return *counted - first;
}

/* A row for each column of the plot, with its bursts if the names have them. */
static void write_columns(const struct plot_data *d, struct tsv *t, const char *const *names,
			  const enum column_kind *kinds, size_t n)
{
	size_t counted = 0;
	tsv_begin(t, names);
	for (size_t i = 0; i < d->columns.count; i++) {
		const struct plot_column *c = &d->columns.column[i];
		tsv_real(t, c->begin_s);
		tsv_real(t, c->end_s);
		for (size_t k = 0; k < n; k++) {
			tsv_real(t, c->min[kinds[k]]);
			tsv_real(t, c->mean[kinds[k]]);
			tsv_real(t, c->max[kinds[k]]);
		}
		if (t->at < t->columns)
			tsv_number(t, count_bursts(d, i, &counted));
	}
}

#define SUMMARY(name) name "_min", name "_mean", name "_max"

static void write_rate(const struct plot_data *d, struct tsv *t)
{
	static const char *const names[] = {"begin_s",
					    "end_s",
					    SUMMARY("read_bytes_s"),
					    SUMMARY("written_bytes_s"),
					    SUMMARY("bytes_s"),
					    "bursts",
					    NULL};
	static const enum column_kind kinds[] = {COLUMN_READ, COLUMN_WRITTEN, COLUMN_BYTES};
	write_columns(d, t, names, kinds, 3);
}

static void write_requests(const struct plot_data *d, struct tsv *t)
{
	static const char *const names[] = {
	    "begin_s", "end_s", SUMMARY("reads_s"), SUMMARY("writes_s"), SUMMARY("operations_s"),
	    NULL};
	static const enum column_kind kinds[] = {COLUMN_READS, COLUMN_WRITES, COLUMN_OPERATIONS};
	write_columns(d, t, names, kinds, 3);
}

const struct plot plot_rate = {
    .name = "rate",
    .title = "Data rate over time",
    .description = "MB/s of reads, and of writes on top of them, in bins of time.",
    .has_data = has_data,
    .draw = draw_rate,
    .write_data = write_rate,
};

const struct plot plot_requests = {
    .name = "requests",
    .title = "Requests over time",
    .description = "Reads, writes and metadata operations that start per second, in bins of time.",
    .has_data = has_data,
    .draw = draw_requests,
    .write_data = write_requests,
};
