/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rate of each process over time, as colours. All cells of a colour are one path, so that the
 * number of marks does not depend on that of the cells.
 */
#include <math.h>
#include <stdio.h>

#include "cli/ui/printable.h"

#include "canvas.h"

enum {
	LEVELS = 32,
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
	KEY_WIDTH = 12,
	LOG_FROM = 100, /* max / min of the rates, beyond which the scale is logarithmic */
};

/* 17 equidistant colours of cividis (Nunez, Anderton and Renslow). */
static const unsigned char cividis[][3] = {
    {0x00, 0x22, 0x4e}, {0x00, 0x2e, 0x6a}, {0x1a, 0x38, 0x6f}, {0x32, 0x43, 0x6d},
    {0x43, 0x4e, 0x6c}, {0x53, 0x5a, 0x6d}, {0x61, 0x65, 0x6f}, {0x6f, 0x70, 0x73},
    {0x7d, 0x7c, 0x78}, {0x8c, 0x88, 0x78}, {0x9b, 0x94, 0x76}, {0xab, 0xa0, 0x72},
    {0xbc, 0xae, 0x6c}, {0xcd, 0xbb, 0x63}, {0xde, 0xc9, 0x58}, {0xf0, 0xd8, 0x46},
    {0xfe, 0xe8, 0x38}};

static void write_colour(struct output *o, unsigned level)
{
	const double at = 16. * level / (LEVELS - 1);
	const unsigned i = at >= 16 ? 15 : (unsigned)at;
	const double share = at - i;
	output_text(o, "#");
	for (unsigned k = 0; k < 3; k++)
		output_printf(
		    o, "%02x",
		    (unsigned)(cividis[i][k] * (1 - share) + cividis[i + 1][k] * share + 0.5));
}

static bool is_log(const struct heat *h)
{
	return h->max > LOG_FROM * h->min;
}

static unsigned level_of(const struct heat *h, double rate)
{
	const double share = is_log(h) ? log(rate / h->min) / log(h->max / h->min) : rate / h->max;
	const int level = (int)(share * LEVELS);
	return level < 0 ? 0 : level >= LEVELS ? LEVELS - 1 : (unsigned)level;
}

/* The lowest rate of a level. */
static double rate_of(const struct heat *h, unsigned level)
{
	const double share = (double)level / LEVELS;
	return is_log(h) ? h->min * pow(h->max / h->min, share) : h->max * share;
}

static bool has_data(const struct plot_data *d)
{
	return d->heat.rows > 0 && d->heat.max > 0;
}

/* Runs of cells of a level, in units of cells. */
static size_t write_level(struct output *o, const struct heat *h, unsigned level)
{
	size_t runs = 0;
	for (size_t r = 0; r < h->rows; r++) {
		const double *row = h->rate + r * h->columns;
		for (size_t c = 0; c < h->columns;) {
			size_t end = c;
			while (end < h->columns && row[end] > 0 && level_of(h, row[end]) == level)
				end++;
			if (end > c) {
				if (runs++ == 0) {
					output_text(o, "<path fill=\"");
					write_colour(o, level);
					output_text(o, "\" d=\"");
				}
				output_printf(o, "M%zu %zuh%zuv1h-%zuz", c, r, end - c, end - c);
			}
			c = end > c ? end : c + 1;
		}
	}
	return runs;
}

static void draw_cells(const struct heat *h, struct output *o)
{
	char low[SVG_LABEL], high[SVG_LABEL];
	output_printf(o,
		      "<rect fill=\"#fff\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n"
		      "<g shape-rendering=\"crispEdges\" transform=\"translate(%d %d) "
		      "scale(%.6g %.6g)\">\n",
		      LEFT, TOP, WIDTH, ROWS_HEIGHT, LEFT, TOP, (double)WIDTH / (double)h->columns,
		      (double)ROWS_HEIGHT / (double)h->rows);
	for (unsigned level = 0; level < LEVELS; level++)
		if (write_level(o, h, level) > 0)
			output_printf(o, "\"><title>%s to %s</title></path>\n",
				      canvas_si(low, rate_of(h, level), "B/s"),
				      canvas_si(high, rate_of(h, level + 1), "B/s"));
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
		if (bar <= 0)
			continue;
		canvas_rect(o, "f r", LEFT + WIDTH + SUM_GAP, TOP + (double)r * height, bar,
			    fmax(height, 1));
		output_printf(o, "%s%ju: %s", h->ranked ? "rank " : "process ",
			      (uintmax_t)h->first[r], canvas_si(text, h->row_bytes[r], "B"));
		canvas_rect_end(o);
	}
	output_text(o, "</g>\n");
	canvas_small(o, LEFT + WIDTH + SUM_GAP, TOP - SUM_GAP - TOP_SUM + 8, "start",
		     canvas_si(text, max, "B/s"));
	canvas_small(o, LEFT + WIDTH + SUM_GAP, TOP + ROWS_HEIGHT + 34, "start",
		     canvas_si(text, max_row, "B"));
}

/* The colours, from the lowest rate at the bottom. */
static void draw_key(const struct heat *h, struct output *o)
{
	const double step = (double)(ROWS_HEIGHT - 40) / LEVELS;
	const int bottom = TOP + ROWS_HEIGHT - 20;
	char text[SVG_LABEL];
	for (unsigned level = 0; level < LEVELS; level++) {
		output_text(o, "<rect fill=\"");
		write_colour(o, level);
		output_printf(o, "\" x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%.1f\"/>\n", KEY_X,
			      bottom - (level + 1) * step, KEY_WIDTH, step + 0.3);
	}
	canvas_text(o, KEY_X - 4, TOP + 12, "start", canvas_si(text, h->max, "B/s"));
	canvas_text(o, KEY_X - 4, bottom + 16, "start",
		    is_log(h) ? canvas_si(text, h->min, "B/s") : "0 B/s");
	canvas_text(o, KEY_X - 4, TOP - 6, "start", is_log(h) ? "log" : "linear");
}

/* Row labels: up to eight of them, at the middle of their rows. */
static void draw_rows(const struct heat *h, struct output *o)
{
	enum { LABELS = 8 };
	const size_t every = (h->rows + LABELS - 1) / LABELS;
	char text[SVG_LABEL];
	for (size_t r = 0; r < h->rows && !h->by_bytes; r += every) {
		snprintf(text, sizeof text, "%ju", (uintmax_t)h->first[r]);
		canvas_text(o, LEFT - 6,
			    TOP + ((double)r + 0.5) * ROWS_HEIGHT / (double)h->rows + 4, "end",
			    text);
	}
	output_printf(o, "<text transform=\"translate(16 %d) rotate(-90)\" text-anchor=\"middle\">",
		      TOP + ROWS_HEIGHT / 2);
	if (h->by_bytes)
		output_printf(o, "%zu processes by bytes, most at the bottom", h->processes);
	else
		output_text(o, h->ranked ? "rank" : "process");
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
		 canvas_seconds(s, h->column_s),
		 h->by_bytes ? "; rows: mean of their processes" : "");
	canvas_text(o, LEFT, 36, "start", text);
}

static void write_data(const struct plot_data *d, struct output *o)
{
	const struct heat *h = &d->heat;
	char text[REAL_CAPACITY];
	output_printf(o, "%s\tbegin_s\tbytes_s\n",
		      h->by_bytes ? "row"
		      : h->ranked ? "rank"
				  : "process");
	for (size_t r = 0; r < h->rows; r++)
		for (size_t c = 0; c < h->columns; c++) {
			const double rate = h->rate[r * h->columns + c];
			if (rate <= 0)
				continue;
			output_printf(o, "%ju\t", (uintmax_t)(h->by_bytes ? r : h->first[r]));
			output_printf(o, "%s\t",
				      printable_real(text, h->begin_s + (double)c * h->column_s));
			output_printf(o, "%s\n", printable_real(text, rate));
		}
}

const struct plot plot_heat = {
    .name = "heat",
    .title = "Data rate of each process over time",
    .description =
	"Bytes per second of each process over time, as colours from dark (low) to "
	"light (high). Bars: above, the sum of all processes; on the right, the bytes of "
	"each row.",
    .height = HEIGHT,
    .has_data = has_data,
    .draw = draw,
    .write_data = write_data,
};
