/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rate of each process or host over time, as colours. All cells of a colour are one path, so
 * that the number of marks does not depend on the number of cells.
 */
#include <math.h>
#include <stdio.h>

#include "canvas.h"
#include "shades.h"

enum {
	HEIGHT = 420,
	LEFT = CANVAS_LEFT,
	TOP = 100,   /* the sums over rows are above */
	RIGHT = 136, /* the sums of rows are there */
	SUM_GAP = 6,
	TOP_SUM = 40,
	RIGHT_SUM = 56,
	WIDTH = PLOT_WIDTH - LEFT - RIGHT,
	ROWS_HEIGHT = HEIGHT - TOP - CANVAS_BOTTOM,
	KEY_X = PLOT_WIDTH - 60,
};

static bool has_data(const struct plot_data *d)
{
	return d->heat.rows > 0 && d->heat.max > 0;
}

/* Runs of cells of a level, in units of cells. */
static size_t write_level(struct output *o, const struct heat *h, const struct shades *shades,
			  unsigned level)
{
	size_t runs = 0;
	for (size_t r = 0; r < h->rows; r++) {
		const double *row = h->rate + r * h->columns;
		for (size_t c = 0; c < h->columns;) {
			size_t end = c;
			while (end < h->columns && row[end] > 0 &&
			       shades_of(shades, row[end]) == level)
				end++;
			if (end > c) {
				if (runs++ == 0)
					shades_begin_path(o, level);
				output_printf(o, "M%zu %zuh%zuv1h-%zuz", c, r, end - c, end - c);
			}
			c = end > c ? end : c + 1;
		}
	}
	return runs;
}

static void draw_cells(const struct heat *h, struct output *o)
{
	const struct shades shades = {.min = h->min, .max = h->max};
	char low[SVG_LABEL], high[SVG_LABEL];
	output_printf(o,
		      "<rect fill=\"#fff\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n"
		      "<g shape-rendering=\"crispEdges\" transform=\"translate(%d %d) "
		      "scale(%.6g %.6g)\">\n",
		      LEFT, TOP, WIDTH, ROWS_HEIGHT, LEFT, TOP, (double)WIDTH / (double)h->columns,
		      (double)ROWS_HEIGHT / (double)h->rows);
	for (unsigned level = 0; level < SHADES; level++)
		if (write_level(o, h, &shades, level) > 0)
			output_printf(o, "\"><title>%s to %s</title></path>\n",
				      canvas_si(low, shades_value(&shades, level), "B/s"),
				      canvas_si(high, shades_value(&shades, level + 1), "B/s"));
	output_text(o, "</g>\n");
}

/* The sum over all rows, above; and of each row, on the right. */
static void draw_sums(const struct heat *h, struct output *o)
{
	double max = 0, max_row = 0;
	char text[SVG_LABEL];
	for (size_t c = 0; c < h->columns; c++)
		max = fmax(max, h->column_rate[c]);
	for (size_t r = 0; r < h->rows; r++)
		max_row = fmax(max_row, h->row_bytes[r]);
	const double width = (double)WIDTH / (double)h->columns,
		     height = (double)ROWS_HEIGHT / (double)h->rows;
	for (size_t c = 0; c < h->columns; c++) {
		const double bar = TOP_SUM * h->column_rate[c] / max;
		if (bar <= 0)
			continue;
		canvas_rect(o, "f r", LEFT + (double)c * width, TOP - SUM_GAP - bar, width, bar);
		output_printf(o, "%.6g s: %s", h->begin_s + (double)c * h->column_s,
			      canvas_si(text, h->column_rate[c], "B/s"));
		canvas_rect_end(o);
	}
	output_text(o, "<g shape-rendering=\"crispEdges\">\n");
	for (size_t r = 0; r < h->rows; r++) {
		const double bar = max_row > 0 ? RIGHT_SUM * h->row_bytes[r] / max_row : 0;
		if (!(bar > 0)) /* or unknown */
			continue;
		canvas_rect(o, "f r", LEFT + WIDTH + SUM_GAP, TOP + (double)r * height, bar,
			    fmax(height, 1));
		output_printf(o, "%s ", h->noun);
		process_label_whole(o, h->first[r]);
		output_printf(o, ": %s", canvas_si(text, h->row_bytes[r], "B"));
		canvas_rect_end(o);
	}
	output_text(o, "</g>\n");
	canvas_small(o, LEFT + WIDTH + SUM_GAP, TOP - SUM_GAP - TOP_SUM + 8, "start",
		     canvas_si(text, max, "B/s"));
	canvas_small(o, LEFT + WIDTH + SUM_GAP + RIGHT_SUM, TOP + ROWS_HEIGHT + 16, "end",
		     canvas_si(text, max_row, "B"));
}

static void draw_key(const struct heat *h, struct output *o)
{
	const struct shades shades = {.min = h->min, .max = h->max};
	char low[SVG_LABEL], high[SVG_LABEL];
	canvas_si(low, shades_are_log(&shades) ? h->min : 0, "B/s");
	shades_write_key(o, &shades, KEY_X, TOP, ROWS_HEIGHT, low, canvas_si(high, h->max, "B/s"));
}

/* Row labels: up to eight of them, at the middle of their rows. */
static void draw_rows(const struct heat *h, struct output *o)
{
	enum { LABELS = 8 };
	const size_t every = (h->rows + LABELS - 1) / LABELS;
	const bool named = h->first[0].host != NULL;
	for (size_t r = 0; r < h->rows && !h->by_bytes; r += every) {
		output_printf(o, "<text%s x=\"%d.0\" y=\"%.1f\" text-anchor=\"end\">",
			      named ? " class=\"s\"" : "", LEFT - 6,
			      TOP + ((double)r + 0.5) * ROWS_HEIGHT / (double)h->rows + 4);
		process_label_write(o, h->first[r]);
		output_text(o, "</text>\n");
	}
	if (named && !h->by_bytes) { /* names leave no space for a title of the axis */
		canvas_small(o, LEFT - 6, TOP - SUM_GAP, "end", h->noun);
		return;
	}
	output_printf(o, "<text transform=\"translate(16 %d) rotate(-90)\" text-anchor=\"middle\">",
		      TOP + ROWS_HEIGHT / 2);
	if (h->by_bytes)
		output_printf(o, "%zu %s by bytes, most at the bottom", h->processes,
			      named ? "hosts" : "processes");
	else
		output_text(o, h->noun);
	output_text(o, "</text>\n");
}

static void draw(const struct plot_data *d, struct output *o)
{
	const struct heat *h = &d->heat;
	struct svg_frame f = {.left = LEFT, .top = TOP, .width = WIDTH, .height = ROWS_HEIGHT};
	char text[96], s[SVG_LABEL];
	canvas_set_time(&f, h->begin_s, h->end_s);
	svg_x_axis(o, &f);
	draw_cells(h, o);
	output_printf(o, "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n",
		      LEFT, TOP, WIDTH, ROWS_HEIGHT);
	draw_sums(h, o);
	draw_rows(h, o);
	draw_key(h, o);
	snprintf(text, sizeof text, "bytes per second; columns of %s; white: none%s",
		 canvas_seconds(s, h->column_s), h->by_bytes ? "; rows: mean of neighbours" : "");
	canvas_text(o, LEFT, 36, "start", text);
	if (h->unknown > 0) {
		snprintf(text, sizeof text, "bytes of %zu %s%s are not all known", h->unknown,
			 h->noun, h->unknown == 1 ? "" : "s");
		canvas_small(o, PLOT_WIDTH - CANVAS_RIGHT, 18, "end", text);
	}
}

static void write_data(const struct plot_data *d, struct tsv *t)
{
	const struct heat *h = &d->heat;
	const char *const names[] = {h->by_bytes ? "row" : h->noun, "begin_s", "bytes_s", NULL};
	tsv_begin(t, names);
	for (size_t r = 0; r < h->rows; r++)
		for (size_t c = 0; c < h->columns; c++) {
			const double rate = h->rate[r * h->columns + c];
			if (rate <= 0)
				continue;
			if (h->by_bytes)
				tsv_number(t, r);
			else
				process_label_field(tsv_cell(t), h->first[r]);
			tsv_real(t, h->begin_s + (double)c * h->column_s);
			tsv_real(t, rate);
		}
}

const struct plot plot_heat = {
    .name = "heat",
    .title = "Data rate of each process or host over time",
    .description =
	"Bytes per second of each process, or of each host that has samples, over time, as "
	"colours from light (low) to light (high). Bars: above, the sum of all; on the right, the "
	"bytes of "
	"each row.",
    .height = HEIGHT,
    .has_data = has_data,
    .draw = draw,
    .write_data = write_data,
};
