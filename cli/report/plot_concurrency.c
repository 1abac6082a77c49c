/* SPDX-License-Identifier: BSD-2-Clause */
/* Outstanding requests: over time, and for how long each number of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/result/names.h"

#include "canvas.h"

enum { LEFT_WIDTH = 360, RIGHT_LEFT = CANVAS_LEFT + LEFT_WIDTH + 76, LEVELS = 65 };

/* The time with exactly that many, by number; the last: or more. Returns how many are used. */
static size_t levels_of(const struct plot_data *d, double level[LEVELS])
{
	const struct iot_analyze_value *v;
	size_t n = 0;
	for (size_t q = 0; q < LEVELS; q++)
		level[q] = 0;
	for (size_t i = 0; (v = plot_next(d, &i, VALUE(time, concurrency_ns))) != NULL;) {
		const size_t q = strtoul(v->key, NULL, 10);
		if (q < LEVELS)
			level[q] = (double)v->number;
	}
	const double more = plot_number(d, VALUE(time, concurrency_more_ns), NULL);
	level[LEVELS - 1] = isnan(more) ? 0 : more;
	for (size_t q = 0; q < LEVELS; q++)
		n = level[q] > 0 ? q + 1 : n;
	return n;
}

static bool has_data(const struct plot_data *d)
{
	return d->columns.count > 0 && columns_max(&d->columns, COLUMN_OUTSTANDING) > 0;
}

static void draw_time(const struct plot_data *d, struct output *o)
{
	const struct columns *c = &d->columns;
	struct svg_frame f = {CANVAS_FRAME, .y = canvas_axis_to(columns_max(c, COLUMN_OUTSTANDING),
								"outstanding requests")};
	char text[SVG_LABEL];
	canvas_set_time(&f, c->begin_s, c->end_s);
	f.width = LEFT_WIDTH;
	canvas_axes(o, &f);
	canvas_area(o, &f, c, COLUMN_KINDS, COLUMN_OUTSTANDING, 1, "b o");
	canvas_band(o, &f, c, COLUMN_OUTSTANDING, 1, "b k");
	canvas_steps(o, &f, c, COLUMN_OUTSTANDING, 1, "l o");
	for (size_t i = 0; i < c->count; i++) {
		const double x = svg_x(&f, c->column[i].begin_s);
		if (c->column[i].max[COLUMN_OUTSTANDING] <= 0)
			continue;
		canvas_rect(o, "t", x, f.top, svg_x(&f, c->column[i].end_s) - x, f.height);
		output_printf(o, "%.6g to %.6g s: mean %s, highest bin %.3g", c->column[i].begin_s,
			      c->column[i].end_s,
			      canvas_si(text, c->column[i].mean[COLUMN_OUTSTANDING], ""),
			      c->column[i].max[COLUMN_OUTSTANDING]);
		canvas_rect_end(o);
	}
}

static void draw_levels(const struct plot_data *d, struct output *o)
{
	double level[LEVELS], all = 0, max = 0;
	const size_t n = levels_of(d, level), shown = n < 5 ? 5 : n;
	for (size_t q = 0; q < n; q++) {
		all += level[q];
		max = fmax(max, level[q]);
	}
	if (all <= 0)
		return;
	struct svg_frame f = {.left = RIGHT_LEFT,
			      .top = CANVAS_TOP,
			      .width = PLOT_WIDTH - RIGHT_LEFT - CANVAS_RIGHT,
			      .height = PLOT_HEIGHT - CANVAS_TOP - CANVAS_BOTTOM,
			      .x = {"number outstanding", SVG_LINEAR, -0.5, (double)shown - 0.5},
			      .y = canvas_axis_to(100 * max / all, "% of the time")};
	canvas_axes(o, &f);
	const double step = (double)f.width / (double)shown;
	for (size_t q = 0; q < n; q++) {
		const double percent = 100 * level[q] / all, y = svg_y(&f, percent);
		if (percent <= 0)
			continue;
		canvas_rect(o, "f o", f.left + ((double)q + 0.1) * step, y, 0.8 * step,
			    f.top + f.height - y);
		output_printf(o, "%zu%s: %.3g %% of the time", q, q == LEVELS - 1 ? " or more" : "",
			      percent);
		canvas_rect_end(o);
	}
}

static void draw(const struct plot_data *d, struct output *o)
{
	const double max = plot_number(d, VALUE(time, concurrency_max), NULL),
		     mean = plot_number(d, VALUE(time, concurrency_mean), NULL);
	char text[128], s[SVG_LABEL];
	draw_time(d, o);
	draw_levels(d, o);
	if (!isnan(max) && !isnan(mean)) {
		snprintf(text, sizeof text, "mean %.3g, at most %.0f at any time; bins of %s%s",
			 mean, max, canvas_seconds(s, d->columns.width_s),
			 d->columns.bins_per_column > 1 ? "; band: lowest to highest bin" : "");
		canvas_text(o, CANVAS_LEFT, 36, "start", text);
	}
}

static void write_data(const struct plot_data *d, struct tsv *t)
{
	static const char *const names[] = {"kind", "begin_s_or_number", "mean_or_ns", "max", NULL};
	double level[LEVELS];
	const size_t n = levels_of(d, level);
	tsv_begin(t, names);
	for (size_t i = 0; i < d->columns.count; i++) {
		const struct plot_column *c = &d->columns.column[i];
		tsv_word(t, "time");
		tsv_real(t, c->begin_s);
		tsv_real(t, c->mean[COLUMN_OUTSTANDING]);
		tsv_real(t, c->max[COLUMN_OUTSTANDING]);
	}
	for (size_t q = 0; q < n; q++) {
		tsv_word(t, "number");
		tsv_number(t, q);
		tsv_whole(t, level[q]);
		tsv_unknown(t);
	}
}

const struct plot plot_concurrency = {
    .name = "concurrency",
    .title = "Outstanding requests",
    .description = "Left: the mean number of requests in progress over time. Right: for which "
		   "share of the time how many are.",
    .has_data = has_data,
    .draw = draw,
    .write_data = write_data,
};
