/* SPDX-License-Identifier: BSD-2-Clause */
/* Cumulated distributions: of times, and of the rate of bins. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/result/names.h"

#include "canvas.h"

enum { LINES = 4, STEPS_MAX = 400, BINS_MIN = 10 };

static const struct cdf_line {
	const char *name, *text, *mark;
} cdf_lines[LINES] = {{NAME_OF(inter_arrival_bins), "from start to start", "l p o"},
		      {NAME_OF(idle_gap_bins), "idle gaps", "l e k"},
		      {NAME_OF(read_latency_bins), "durations of reads", "l r"},
		      {NAME_OF(write_latency_bins), "durations of writes", "l d w"}};

static const double ns = 1e-9;

static bool has_cdf(const struct plot_data *d)
{
	for (unsigned i = 0; i < LINES; i++) {
		size_t at = 0;
		if (plot_next(d, &at, SECTION_OF(time), cdf_lines[i].name) != NULL)
			return true;
	}
	return false;
}

/* The range of all values; 0 is at the lower end. */
static struct svg_axis seconds_axis(const struct plot_data *d)
{
	struct svg_axis axis = {"time", SVG_SECONDS, INFINITY, 0};
	const struct iot_analyze_value *v;
	for (unsigned line = 0; line < LINES; line++)
		for (size_t i = 0;
		     (v = plot_next(d, &i, SECTION_OF(time), cdf_lines[line].name)) != NULL;) {
			const double s = fmax(strtod(v->key, NULL), 1) * ns;
			axis.min = fmin(axis.min, s);
			axis.max = fmax(axis.max, s);
		}
	axis.min = pow(10, floor(log10(axis.min)));
	axis.max = pow(10, ceil(log10(axis.max)));
	if (axis.max <= axis.min)
		axis.max = 10 * axis.min;
	return axis;
}

static double count_of(const struct plot_data *d, const char *name)
{
	const struct iot_analyze_value *v;
	double n = 0;
	for (size_t i = 0; (v = plot_next(d, &i, SECTION_OF(time), name)) != NULL;)
		n += (double)v->number;
	return n;
}

static void draw_line(const struct plot_data *d, struct output *o, const struct svg_frame *f,
		      const struct cdf_line *line)
{
	const double all = count_of(d, line->name);
	const struct iot_analyze_value *v;
	double sum = 0, drawn = 0;
	output_printf(o, "<path class=\"%s\" d=\"M%d,%d", line->mark, f->left, f->top + f->height);
	for (size_t i = 0; (v = plot_next(d, &i, SECTION_OF(time), line->name)) != NULL;) {
		sum += (double)v->number;
		if (sum - drawn < all / STEPS_MAX && sum < all)
			continue;
		drawn = sum;
		output_printf(o, "H%.1fV%.1f", svg_x(f, strtod(v->key, NULL) * ns),
			      svg_y(f, sum / all));
	}
	output_printf(o, "H%d\"><title>%s</title></path>\n", f->left + f->width, line->text);
}

static void draw_cdf(const struct plot_data *d, struct output *o)
{
	struct canvas_legend legend[LINES + 1] = {{0}};
	unsigned n = 0;
	const struct svg_frame f = {CANVAS_FRAME, .x = seconds_axis(d),
				    .y = {"share", SVG_LINEAR, 0, 1}};
	canvas_axes(o, &f);
	for (unsigned i = 0; i < LINES; i++) {
		if (count_of(d, cdf_lines[i].name) <= 0)
			continue;
		draw_line(d, o, &f, &cdf_lines[i]);
		legend[n++] = (struct canvas_legend){cdf_lines[i].mark, cdf_lines[i].text};
	}
	canvas_legend(o, CANVAS_LEFT, legend);
}

static void write_cdf(const struct plot_data *d, struct tsv *t)
{
	static const char *const names[] = {"distribution", "up_to_ns", "count", NULL};
	static const char bins[] = "_bins";
	const struct iot_analyze_value *v;
	tsv_begin(t, names);
	for (unsigned line = 0; line < LINES; line++)
		for (size_t i = 0;
		     (v = plot_next(d, &i, SECTION_OF(time), cdf_lines[line].name)) != NULL;) {
			const char *name = cdf_lines[line].name;
			output_write(tsv_cell(t), name, strlen(name) - strlen(bins));
			tsv_word(t, v->key);
			tsv_number(t, v->number);
		}
}

const struct plot plot_cdf = {
    .name = "cdf",
    .title = "Times between requests, and their durations",
    .description = "Share of the times up to a value: from the start of a request to the start of "
		   "the next, without any request in progress, and of reads and writes.",
    .has_data = has_cdf,
    .draw = draw_cdf,
    .write_data = write_cdf,
};

/* Burstiness */

static double peak_of(const struct plot_data *d)
{
	return d->bin_count > 0 ? d->bin_bytes[d->bin_count - 1] : 0;
}

static bool has_burstiness(const struct plot_data *d)
{
	return d->bin_count >= BINS_MIN && peak_of(d) > 0;
}

/* The share of the bins with up to this share of the peak. */
static double bins_up_to(const struct plot_data *d, double share)
{
	const double limit = share * peak_of(d);
	size_t n = 0;
	while (n < d->bin_count && d->bin_bytes[n] <= limit)
		n++;
	return (double)n / (double)d->bin_count;
}

static void draw_burstiness(const struct plot_data *d, struct output *o)
{
	enum { PERCENT = 100, THIRD = 33 };
	const struct svg_frame f = {CANVAS_FRAME,
				    .x = {"% of the highest rate", SVG_LINEAR, 0, 100},
				    .y = {"% of the time", SVG_LINEAR, 0, 100}};
	char text[96], rate[SVG_LABEL];
	canvas_axes(o, &f);
	output_printf(o, "<path class=\"l h\" d=\"M%.1f,%dV%d\"/>\n", svg_x(&f, THIRD), f.top,
		      f.top + f.height);
	output_text(o, "<path class=\"l o\" d=\"");
	for (unsigned p = 0; p <= PERCENT; p++)
		output_printf(o, p == 0 ? "M%.1f,%.1f" : "H%.1fV%.1f", svg_x(&f, p),
			      svg_y(&f, 100 * bins_up_to(d, p / 100.)));
	output_text(o, "\"/>\n");
	for (unsigned p = 0; p <= PERCENT; p += 2) {
		canvas_rect(o, "t", svg_x(&f, p) - 3, f.top, 6, f.height);
		output_printf(o, "up to %u %% of the highest rate: %.1f %% of the time", p,
			      100 * bins_up_to(d, p / 100.));
		canvas_rect_end(o);
	}
	snprintf(text, sizeof text, "%.1f %% of the time is at up to 33 %% of the highest rate, %s",
		 100 * bins_up_to(d, 0.33), canvas_si(rate, peak_of(d) / d->bin_s, "B/s"));
	canvas_text(o, CANVAS_LEFT, 36, "start", text);
	snprintf(text, sizeof text, "bins of %s", canvas_seconds(rate, d->bin_s));
	canvas_text(o, PLOT_WIDTH - CANVAS_RIGHT, 18, "end", text);
}

static void write_burstiness(const struct plot_data *d, struct tsv *t)
{
	static const char *const names[] = {"percent_of_peak", "share_of_bins", NULL};
	tsv_begin(t, names);
	for (unsigned p = 0; p <= 100; p++) {
		tsv_number(t, p);
		tsv_real(t, bins_up_to(d, p / 100.));
	}
}

const struct plot plot_burstiness = {
    .name = "burstiness",
    .title = "Burstiness",
    .description = "Share of the time in which the data rate is up to a share of its peak.",
    .has_data = has_burstiness,
    .draw = draw_burstiness,
    .write_data = write_burstiness,
};
