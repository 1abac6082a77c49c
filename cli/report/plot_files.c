/* SPDX-License-Identifier: BSD-2-Clause */
/* Several jobs: the number of files against the number of processes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/ui/markup.h"
#include "lib/result/names.h"

#include "canvas.h"
#include "jobs_plot.h"
#include "zero_axes.h"

enum { DOTS_MAX = 1800, RIGHT = 56, NAME_COLUMNS = 80 };

/* Jobs with about the same numbers share a dot. */
struct dot {
	int x, y; /* in cells of the grid */
	const struct set_job *job;
};

static bool is_drawn(const struct set_job *job)
{
	return job->value[JOB_PROCESSES] > 0 && !isnan(job->value[JOB_FILES]);
}

static bool has_data(const struct plot_data *d)
{
	return jobs_plot_count(d->jobs, is_drawn) > 0;
}

static int by_place(const void *left, const void *right)
{
	const struct dot *a = left, *b = right;
	if (a->x != b->x)
		return a->x < b->x ? -1 : 1;
	if (a->y != b->y)
		return a->y < b->y ? -1 : 1;
	return (a->job > b->job) - (a->job < b->job);
}

static size_t end_of_dot(const struct dot *dots, size_t n, size_t first)
{
	size_t end = first + 1;
	while (end < n && dots[end].x == dots[first].x && dots[end].y == dots[first].y)
		end++;
	return end;
}

/* Places jobs on a grid of cells of `size` units. Returns the number of cells that have any. */
static size_t place(const struct job_set *s, const struct zero_axes *a, double size,
		    struct dot *dots, size_t *n)
{
	size_t cells = 0;
	*n = 0;
	for (size_t i = 0; i < s->count; i++)
		if (is_drawn(&s->job[i]))
			dots[(*n)++] = (struct dot){
			    (int)(zero_axes_x(a, s->job[i].value[JOB_PROCESSES]) / size),
			    (int)(zero_axes_y(a, s->job[i].value[JOB_FILES]) / size), &s->job[i]};
	qsort(dots, *n, sizeof *dots, by_place);
	for (size_t i = 0; i < *n; i = end_of_dot(dots, *n, i))
		cells++;
	return cells;
}

static void write_range(struct output *o, const struct dot *dots, size_t n,
			enum compared_value value, const char *unit)
{
	double min = INFINITY, max = 0;
	for (size_t i = 0; i < n; i++) {
		min = fmin(min, dots[i].job->value[value]);
		max = fmax(max, dots[i].job->value[value]);
	}
	output_printf(o, "%.0f", min);
	if (max > min)
		output_printf(o, " to %.0f", max);
	output_text(o, unit);
}

static void draw_dot(struct output *o, const struct zero_axes *a, const struct dot *dots, size_t n)
{
	const struct set_job *job = dots[0].job;
	canvas_dot(o, "f k", zero_axes_x(a, job->value[JOB_PROCESSES]),
		   zero_axes_y(a, job->value[JOB_FILES]), fmin(3 + 2 * log10((double)n), 10));
	if (n == 1)
		markup_shortened(o, job->name, strlen(job->name), NAME_COLUMNS);
	else
		output_printf(o, "%zu jobs", n);
	write_range(o, dots, n, JOB_PROCESSES, " processes, ");
	write_range(o, dots, n, JOB_FILES, " files");
	canvas_dot_end(o);
}

/* A line of as many files as processes, or of one file. */
static void draw_line(struct output *o, const struct zero_axes *a, bool per_process)
{
	const double min = fmax(a->x.x.min, a->y.y.min);
	const double max = per_process ? fmin(a->x.x.max, a->y.y.max) : a->x.x.max;
	output_printf(o, "<path class=\"%s\" d=\"M%.1f,%.1fL%.1f,%.1f\"/>\n",
		      per_process ? "l o" : "l d o", svg_x(&a->x, per_process ? min : a->x.x.min),
		      svg_y(&a->y, per_process ? min : 1), svg_x(&a->x, max),
		      svg_y(&a->y, per_process ? max : 1));
	const bool at_top = per_process && max < a->x.x.max;
	canvas_text(o, at_top ? svg_x(&a->x, max) : a->y.left + a->y.width + 8,
		    svg_y(&a->y, per_process ? max : 1) + (at_top ? -4 : 4),
		    at_top ? "middle" : "start", per_process ? "N-N" : "N-1");
}

static struct zero_axes axes_of(const struct job_set *s)
{
	struct zero_range x = ZERO_RANGE, y = ZERO_RANGE;
	struct svg_frame f = {CANVAS_FRAME};
	for (size_t i = 0; i < s->count; i++)
		if (is_drawn(&s->job[i])) {
			zero_range_add(&x, s->job[i].value[JOB_PROCESSES]);
			zero_range_add(&y, s->job[i].value[JOB_FILES]);
		}
	zero_range_add(&y, 1);
	zero_range_add(&y, x.min);
	f.width = PLOT_WIDTH - CANVAS_LEFT - RIGHT;
	f.x = zero_range_axis(&x, "processes of the run", SVG_LOG);
	f.y = zero_range_axis(&y, "files", SVG_LOG);
	/* the lowest values are not on the border */
	f.x.min *= 0.7;
	f.y.min *= 0.7;
	return zero_axes_make(&f, false, y.has_zero);
}

static void draw(const struct plot_data *d, struct output *o)
{
	const struct zero_axes a = axes_of(d->jobs);
	struct dot *dots = calloc(d->jobs->count + 1, sizeof *dots);
	double size = 1;
	size_t n = 0;
	zero_axes_draw(o, &a);
	draw_line(o, &a, true);
	draw_line(o, &a, false);
	if (dots == NULL) {
		o->status = IOT_ENOMEM;
		return;
	}
	while (place(d->jobs, &a, size, dots, &n) > DOTS_MAX)
		size *= 2;
	for (size_t i = 0, end; i < n; i = end) {
		end = end_of_dot(dots, n, i);
		draw_dot(o, &a, dots + i, end - i);
	}
	free(dots);
	jobs_plot_note(d->jobs, is_drawn, "a larger mark: several jobs", o);
}

static void write_data(const struct plot_data *d, struct tsv *t)
{
	static const char *const names[2] = {NAME_OF(processes), NAME_OF(files)};
	static const enum compared_value values[2] = {JOB_PROCESSES, JOB_FILES};
	jobs_plot_write(d->jobs, names, values, t);
}

const struct plot plot_files = {
    .name = "files",
    .title = "Files and processes of each job",
    .description = "Number of files against number of processes, with a mark for each job. Lines: "
		   "a file for each process (N-N), and one file for all processes (N-1).",
    .has_data = has_data,
    .draw = draw,
    .write_data = write_data,
};
