/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several jobs: a value of writes against the same of reads, with the distribution of each at the
 * margin.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "canvas.h"
#include "hexagons.h"
#include "jobs_plot.h"
#include "zero_axes.h"

enum {
	HEIGHT = 440,
	LEFT = 84,
	MARGIN = 56, /* height and width of a distribution */
	GAP = 8,
	TOP = CANVAS_TOP + MARGIN + GAP,
	WIDTH = 440,
	FRAME_HEIGHT = HEIGHT - TOP - CANVAS_BOTTOM,
	MARGIN_X = LEFT + WIDTH + GAP,
	LABEL_X = 18, /* left of labels such as "256 KiB" */
	KEY_X = PLOT_WIDTH - 44,
	PERCENT = 80, /* of the jobs, which a line marks */
	STEPS_MAX = 400,
};

static const double edge = 0.04; /* beyond 0 and 1, for the hexagons there */

struct scatter {
	enum compared_value x, y;
	const char *x_label, *y_label, *names[2];
	bool is_bytes; /* logarithmic; else from 0 to 1 */
	jobs_plot_is_drawn *is_drawn;
};

static bool both_known(const struct set_job *job, enum compared_value x, enum compared_value y)
{
	return !isnan(job->value[x]) && !isnan(job->value[y]);
}

static struct zero_axes axes_of(const struct scatter *s, const struct job_set *jobs)
{
	struct svg_frame f = {.left = LEFT, .top = TOP, .width = WIDTH, .height = FRAME_HEIGHT};
	struct zero_range x = ZERO_RANGE, y = ZERO_RANGE;
	for (size_t i = 0; i < jobs->count; i++)
		if (s->is_drawn(&jobs->job[i])) {
			zero_range_add(&x, jobs->job[i].value[s->x]);
			zero_range_add(&y, jobs->job[i].value[s->y]);
		}
	if (!s->is_bytes) {
		f.x = (struct svg_axis){s->x_label, SVG_LINEAR, -edge, 1 + edge};
		f.y = (struct svg_axis){NULL, SVG_LINEAR, -edge, 1 + edge};
		return zero_axes_make(&f, false, false);
	}
	f.x = zero_range_axis(&x, s->x_label, SVG_BYTES);
	f.y = zero_range_axis(&y, NULL, SVG_BYTES);
	return zero_axes_make(&f, x.has_zero, y.has_zero);
}

/* Distributions at the margins */

static size_t collect(const struct scatter *s, const struct job_set *jobs,
		      enum compared_value value, double *values)
{
	size_t n = 0;
	for (size_t i = 0; i < jobs->count; i++)
		if (s->is_drawn(&jobs->job[i]))
			values[n++] = jobs->job[i].value[value];
	plot_sort(values, n);
	return n;
}

/* The steps of a cumulated share, along x above the frame, or along y to its right. */
static void draw_steps(struct output *o, const struct zero_axes *a, const double *values, size_t n,
		       bool along_x)
{
	const double base = along_x ? CANVAS_TOP + MARGIN : MARGIN_X;
	double drawn = 0;
	output_text(o, "<path class=\"l o\" d=\"");
	if (along_x)
		output_printf(o, "M%d,%.1f", a->y.left, base);
	else
		output_printf(o, "M%.1f,%d", base, a->x.top + a->x.height);
	for (size_t i = 0; i < n; i++) {
		const double share = (double)(i + 1) / (double)n;
		if (i + 1 < n && (values[i + 1] <= values[i] || share - drawn < 1. / STEPS_MAX))
			continue;
		drawn = share;
		if (along_x)
			output_printf(o, "H%.1fV%.1f", zero_axes_x(a, values[i]),
				      base - MARGIN * share);
		else
			output_printf(o, "V%.1fH%.1f", zero_axes_y(a, values[i]),
				      base + MARGIN * share);
	}
	output_printf(o, along_x ? "H%d\"/>\n" : "V%d\"/>\n",
		      along_x ? a->y.left + a->y.width : a->x.top);
}

static const char *value_text(char text[SVG_LABEL], const struct scatter *s, double value)
{
	const struct svg_axis axis = {.scale = s->is_bytes ? SVG_BYTES : SVG_LINEAR};
	if (s->is_bytes)
		return svg_tick(&axis, text, value);
	snprintf(text, SVG_LABEL, "%.3g", value);
	return text;
}

/* The value up to which most jobs are: across the margin and the frame. */
static void draw_percent(struct output *o, const struct scatter *s, const struct zero_axes *a,
			 const double *values, size_t n, bool along_x)
{
	const double value = values[(n * PERCENT + 99) / 100 - 1];
	const double at = along_x ? zero_axes_x(a, value) : zero_axes_y(a, value),
		     mark = MARGIN * PERCENT / 100.;
	char text[SVG_LABEL], label[SVG_LABEL + 32];
	if (along_x)
		output_printf(o, "<path class=\"l p h\" d=\"M%d,%.1fH%.1fV%d\"/>\n", a->y.left,
			      CANVAS_TOP + MARGIN - mark, at, a->x.top + a->x.height);
	else
		output_printf(o, "<path class=\"l p h\" d=\"M%.1f,%dV%.1fH%d\"/>\n",
			      MARGIN_X + mark, a->x.top + a->x.height, at, a->y.left);
	snprintf(label, sizeof label, "80 %%: %s", value_text(text, s, value));
	if (along_x)
		canvas_small(o, MARGIN_X, CANVAS_TOP + MARGIN - mark + 4, "start", label);
	else
		canvas_small(o, MARGIN_X + MARGIN + 4, at + 4, "start", label);
}

static void draw_margin(struct output *o, const struct scatter *s, const struct zero_axes *a,
			const struct job_set *jobs, bool along_x, double *values)
{
	const size_t n = collect(s, jobs, along_x ? s->x : s->y, values);
	output_printf(o, "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n",
		      along_x ? a->y.left : MARGIN_X, along_x ? CANVAS_TOP : a->x.top,
		      along_x ? a->y.width : MARGIN, along_x ? MARGIN : a->x.height);
	draw_percent(o, s, a, values, n, along_x);
	draw_steps(o, a, values, n, along_x);
}

/* Hexagons */

static bool draw_points(struct output *o, const struct scatter *s, const struct zero_axes *a,
			const struct job_set *jobs)
{
	struct hexagon_point *point = calloc(jobs->count + 1, sizeof *point);
	struct hexagons h = {.of = NULL};
	size_t n = 0;
	for (size_t i = 0; point != NULL && i < jobs->count; i++)
		if (s->is_drawn(&jobs->job[i])) {
			point[n].x = zero_axes_x(a, jobs->job[i].value[s->x]);
			point[n++].y = zero_axes_y(a, jobs->job[i].value[s->y]);
		}
	const bool made = point != NULL && hexagons_make(&h, point, n);
	if (made)
		hexagons_draw(o, &h, KEY_X, TOP, FRAME_HEIGHT);
	if (made && h.max > 1)
		canvas_text(o, KEY_X - 4, TOP - 22, "start", "jobs,");
	hexagons_free(&h);
	free(point);
	return made;
}

static void draw(const struct scatter *s, const struct job_set *jobs, struct output *o)
{
	const struct zero_axes a = axes_of(s, jobs);
	double *values = calloc(jobs->count + 1, sizeof *values);
	/* White on dark pages, too, as the darkest hexagons have the most jobs. */
	output_printf(o, "<rect fill=\"#fff\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n",
		      LEFT, TOP, WIDTH, FRAME_HEIGHT);
	output_text(o, "<g class=\"paper\">\n");
	zero_axes_draw(o, &a);
	output_printf(o,
		      "</g>\n<text transform=\"translate(%d %d) rotate(-90)\" "
		      "text-anchor=\"middle\">%s</text>\n",
		      LABEL_X, TOP + FRAME_HEIGHT / 2, s->y_label);
	if (values == NULL || !draw_points(o, s, &a, jobs)) {
		o->status = IOT_ENOMEM;
	} else {
		draw_margin(o, s, &a, jobs, true, values);
		draw_margin(o, s, &a, jobs, false, values);
	}
	free(values);
	jobs_plot_note(jobs, s->is_drawn, "at the margins, the share of jobs up to a value", o);
}

static void write_data(const struct scatter *s, const struct job_set *jobs, struct tsv *t)
{
	const enum compared_value values[2] = {s->x, s->y};
	jobs_plot_write(jobs, s->names, values, t);
}

/* The plots */

#define SCATTER_PLOT(id, file, heading, text, ...)                                                 \
	static bool id##_is_drawn(const struct set_job *job);                                      \
	static const struct scatter id = {__VA_ARGS__, .is_drawn = id##_is_drawn};                 \
	static bool id##_is_drawn(const struct set_job *job)                                       \
	{                                                                                          \
		return both_known(job, id.x, id.y);                                                \
	}                                                                                          \
	static bool id##_has_data(const struct plot_data *d)                                       \
	{                                                                                          \
		return jobs_plot_count(d->jobs, id##_is_drawn) > 0;                                \
	}                                                                                          \
	static void id##_draw(const struct plot_data *d, struct output *o)                         \
	{                                                                                          \
		draw(&id, d->jobs, o);                                                             \
	}                                                                                          \
	static void id##_write(const struct plot_data *d, struct tsv *t)                           \
	{                                                                                          \
		write_data(&id, d->jobs, t);                                                       \
	}                                                                                          \
	const struct plot plot_scatter_##id = {                                                    \
	    .name = file,                                                                          \
	    .title = heading,                                                                      \
	    .description = text " Colours: the number of jobs. Curves: the share of jobs up to a " \
				"value; dotted: 80 % of them.",                                    \
	    .height = HEIGHT,                                                                      \
	    .has_data = id##_has_data,                                                             \
	    .draw = id##_draw,                                                                     \
	    .write_data = id##_write,                                                              \
	}

SCATTER_PLOT(bytes, "scatter", "Bytes read and written by each job",
	     "Bytes written by each job against bytes read.", JOB_WRITTEN, JOB_READ,
	     "bytes written", "bytes read", {"written_bytes", "read_bytes"}, true);

SCATTER_PLOT(
    intensity, "scatter_intensity", "I/O intensity of each job",
    "Share of the time in which a job writes more than 1 MiB/s, against the share of reads.",
    JOB_INTENSITY_W, JOB_INTENSITY_R, "intensity of writes", "intensity of reads",
    {"write_intensity", "read_intensity"}, false);

SCATTER_PLOT(burstiness, "scatter_burstiness", "Burstiness of each job",
	     "Burstiness of the writes of a job against its reads, 0: steady, 1: bursts.",
	     JOB_BURSTINESS_W, JOB_BURSTINESS_R, "burstiness of writes", "burstiness of reads",
	     {"write_burstiness", "read_burstiness"}, false);

SCATTER_PLOT(parallel, "scatter_parallel", "Parallel I/O intensity of each job",
	     "How many processes write at the same time, 0: one, 1: all, against those that read.",
	     JOB_PARALLEL_W, JOB_PARALLEL_R, "parallel intensity of writes",
	     "parallel intensity of reads",
	     {"write_parallel_intensity_normalised", "read_parallel_intensity_normalised"}, false);
