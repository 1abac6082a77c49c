/* SPDX-License-Identifier: BSD-2-Clause */
/* The working set: distinct blocks in each bin over time, and in windows of several bins. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/result/names.h"

#include "canvas.h"

enum {
	BINS_MAX = 128,
	WINDOWS_MAX = 8,
	LEFT_WIDTH = 360,
	RIGHT_LEFT = CANVAS_LEFT + LEFT_WIDTH + 76,
};

struct shown_set {
	double begin_s, width_s, bytes[BINS_MAX], all;
	size_t bins, windows;
	/* of a window */
	double window_s[WINDOWS_MAX], mean[WINDOWS_MAX], max[WINDOWS_MAX];
};

static struct shown_set shown_set_of(const struct plot_data *d)
{
	const struct iot_analyze_value *v;
	struct shown_set w = {.begin_s = plot_number(d, VALUE(reuse, working_set_begin_s), NULL),
			      .width_s =
				  plot_number(d, VALUE(reuse, working_set_bin_width_s), NULL),
			      .all = plot_number(d, VALUE(reuse, working_set_all), NULL)};
	for (size_t i = 0;
	     w.bins < BINS_MAX && (v = plot_next(d, &i, VALUE(reuse, working_set))) != NULL;)
		w.bytes[w.bins++] = v->real;
	for (size_t i = 0; w.windows < WINDOWS_MAX &&
			   (v = plot_next(d, &i, VALUE(reuse, working_set_mean))) != NULL;) {
		w.window_s[w.windows] = strtod(v->key, NULL) * w.width_s;
		w.max[w.windows] = plot_number(d, VALUE(reuse, working_set_max), v->key);
		w.mean[w.windows++] = v->real;
	}
	return w;
}

static bool has_data(const struct plot_data *d)
{
	return plot_number(d, VALUE(reuse, working_set_all), NULL) > 0;
}

static void draw_bins(const struct plot_data *d, struct output *o, const struct shown_set *w)
{
	struct svg_frame f = {CANVAS_FRAME};
	const double end_s = w->begin_s + (double)w->bins * w->width_s;
	char text[SVG_LABEL];
	double max = 0;
	for (size_t i = 0; i < w->bins; i++)
		max = fmax(max, w->bytes[i]);
	canvas_set_max(&f, max, &canvas_bytes);
	canvas_set_time(&f, fmin(w->begin_s, 0), fmax(end_s, d->columns.end_s));
	f.width = LEFT_WIDTH;
	canvas_axes(o, &f);
	for (size_t i = 0; i < w->bins; i++) {
		const double begin_s = w->begin_s + (double)i * w->width_s, x = svg_x(&f, begin_s),
			     y = svg_y(&f, w->bytes[i]);
		if (w->bytes[i] <= 0)
			continue;
		canvas_rect(o, "f o", x, y, svg_x(&f, begin_s + w->width_s) - x,
			    f.top + f.height - y);
		output_printf(o, "%.6g to %.6g s: %s", begin_s, begin_s + w->width_s,
			      canvas_si(text, w->bytes[i], "B"));
		canvas_rect_end(o);
	}
}

static void draw_windows_of(struct output *o, const struct svg_frame *f, const struct shown_set *w,
			    const double *bytes, const char *name, const char *line,
			    const char *dot)
{
	char text[SVG_LABEL], window[SVG_LABEL];
	output_printf(o, "<path class=\"%s\" d=\"", line);
	for (size_t i = 0; i < w->windows; i++)
		output_printf(o, "%c%.1f,%.1f", i == 0 ? 'M' : 'L', svg_x(f, w->window_s[i]),
			      svg_y(f, bytes[i]));
	output_text(o, "\"/>\n");
	for (size_t i = 0; i < w->windows; i++) {
		canvas_dot(o, dot, svg_x(f, w->window_s[i]), svg_y(f, bytes[i]), 2.5);
		output_printf(o, "windows of %s: %s %s", canvas_seconds(window, w->window_s[i]),
			      name, canvas_si(text, bytes[i], "B"));
		canvas_dot_end(o);
	}
}

static void draw_windows(struct output *o, const struct shown_set *w)
{
	struct svg_frame f = {.left = RIGHT_LEFT,
			      .top = CANVAS_TOP,
			      .width = PLOT_WIDTH - RIGHT_LEFT - CANVAS_RIGHT,
			      .height = PLOT_HEIGHT - CANVAS_TOP - CANVAS_BOTTOM,
			      .x = {"length of windows", SVG_SECONDS, w->width_s / 2,
				    2 * w->window_s[w->windows - 1]}};
	double max = w->all;
	char text[SVG_LABEL];
	for (size_t i = 0; i < w->windows; i++)
		max = fmax(max, w->max[i]);
	canvas_set_max(&f, max, &canvas_bytes);
	canvas_axes(o, &f);
	output_printf(o, "<path class=\"l p o\" d=\"M%d,%.1fh%d\"><title>all: %s</title></path>\n",
		      f.left, svg_y(&f, w->all), f.width, canvas_si(text, w->all, "B"));
	draw_windows_of(o, &f, w, w->mean, "mean", "l o", "f o");
	draw_windows_of(o, &f, w, w->max, "highest", "l d k", "f k");
}

static void draw(const struct plot_data *d, struct output *o)
{
	static const struct canvas_legend legend[] = {
	    {"l o", "mean"}, {"l d k", "highest"}, {"l p o", "all"}, {0}};
	const struct shown_set w = shown_set_of(d);
	char text[96], width[SVG_LABEL];
	draw_bins(d, o, &w);
	draw_windows(o, &w);
	snprintf(text, sizeof text, "blocks of 64 KiB; bins of %s; estimates (1.6 %%)",
		 canvas_seconds(width, w.width_s));
	canvas_text(o, CANVAS_LEFT, 36, "start", text);
	canvas_legend(o, RIGHT_LEFT, legend);
}

static void write_data(const struct plot_data *d, struct tsv *t)
{
	static const char *const names[] = {"kind", "begin_or_length_s", "bytes_or_mean", "max",
					    NULL};
	const struct shown_set w = shown_set_of(d);
	tsv_begin(t, names);
	for (size_t i = 0; i < w.bins; i++) {
		tsv_word(t, "bin");
		tsv_real(t, w.begin_s + (double)i * w.width_s);
		tsv_real(t, w.bytes[i]);
		tsv_unknown(t);
	}
	for (size_t i = 0; i < w.windows; i++) {
		tsv_word(t, "window");
		tsv_real(t, w.window_s[i]);
		tsv_real(t, w.mean[i]);
		tsv_real(t, w.max[i]);
	}
	tsv_word(t, "all");
	tsv_unknown(t);
	tsv_real(t, w.all);
	tsv_unknown(t);
}

const struct plot plot_working_set = {
    .name = "working_set",
    .title = "Working set",
    .description = "Left: the bytes of the distinct blocks that the requests of each bin touch, "
		   "over time. Right: the mean and the highest of all windows, by their length.",
    .has_data = has_data,
    .draw = draw,
    .write_data = write_data,
};
