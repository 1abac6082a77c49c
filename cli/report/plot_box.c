/* SPDX-License-Identifier: BSD-2-Clause */
/* Groups of jobs: lowest and highest rate, and quartiles. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ui/markup.h"
#include "cli/ui/printable.h"

#include "canvas.h"
#include "jobs_plot.h"
#include "zero_axes.h"

enum { BOXES_MAX = 12, HEIGHT = 360, BOTTOM = 84, BOX_MAX = 64, COLUMN = 7, NAME_MIN = 12 };

static bool has_node_rate(const struct set_job *job)
{
	return !isnan(job->value[JOB_NODE_RATE]);
}

static bool has_rate(const struct set_job *job)
{
	return !isnan(job->value[JOB_RATE]);
}

/* The rate per node, or, if the nodes of more than half of the jobs are unknown, the rate. */
static enum compared_value rate_of(const struct job_set *s)
{
	return 2 * jobs_plot_count(s, has_node_rate) < jobs_plot_count(s, has_rate) ? JOB_RATE
										    : JOB_NODE_RATE;
}

static bool has_data(const struct plot_data *d)
{
	return jobs_plot_count(d->jobs, has_node_rate) + jobs_plot_count(d->jobs, has_rate) > 0;
}

static const unsigned permille[] = {0, 250, 500, 750, 1000};
enum { LOWEST, QUARTILE_1, MEDIAN, QUARTILE_3, HIGHEST, QUANTILES };

struct box {
	const struct analyze_group *group;
	size_t known;
	double at[QUANTILES];
};

static struct box box_of(const struct analyze_group *group, enum compared_value rate,
			 struct population *p)
{
	const struct set_job *job = group->job;
	struct box b = {.group = group};
	population_collect(p, &job->value[rate], group->count, sizeof *job);
	b.known = p->n;
	for (unsigned q = 0; q < QUANTILES && p->n > 0; q++)
		b.at[q] = population_quantile(p, permille[q]);
	return b;
}

/* Calls `visit` with the box of each group. */
static void each_box(const struct job_set *s, size_t groups,
		     void (*visit)(void *context, size_t i, const struct box *b), void *context,
		     struct output *o)
{
	struct population p = {.value = calloc(s->count + 1, sizeof *p.value)};
	const enum compared_value rate = rate_of(s);
	if (p.value == NULL)
		o->status = IOT_ENOMEM;
	for (size_t i = 0; i < groups && p.value != NULL; i++) {
		const struct box b = box_of(&s->group[i], rate, &p);
		visit(context, i, &b);
	}
	free(p.value);
}

struct boxes {
	const struct job_set *set;
	struct output *o;
	struct tsv *data;
	struct zero_axes axes;
	double step;
	size_t count;
	bool staggered; /* names are in two lines */
	struct zero_range range;
};

static void add_range(void *context, size_t i, const struct box *b)
{
	struct boxes *boxes = context;
	(void)i;
	for (unsigned q = 0; q < QUANTILES && b->known > 0; q++)
		zero_range_add(&boxes->range, b->at[q]);
}

static void line(struct output *o, double x1, double y1, double x2, double y2, const char *style)
{
	output_printf(o, "<path class=\"l o\" %sd=\"M%.1f,%.1fL%.1f,%.1f\"/>\n", style, x1, y1, x2,
		      y2);
}

static void draw_figure(const struct boxes *boxes, double x, const struct box *b)
{
	struct output *o = boxes->o;
	const double half = fmin(0.3 * boxes->step, BOX_MAX / 2.);
	double y[QUANTILES];
	for (unsigned q = 0; q < QUANTILES; q++)
		y[q] = zero_axes_y(&boxes->axes, b->at[q]);
	line(o, x, y[HIGHEST], x, y[QUARTILE_3], "");
	line(o, x, y[QUARTILE_1], x, y[LOWEST], "");
	line(o, x - half / 2, y[HIGHEST], x + half / 2, y[HIGHEST], "");
	line(o, x - half / 2, y[LOWEST], x + half / 2, y[LOWEST], "");
	output_printf(
	    o, "<rect class=\"b o l\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
	    x - half, y[QUARTILE_3], 2 * half, y[QUARTILE_1] - y[QUARTILE_3]);
	line(o, x - half, y[MEDIAN], x + half, y[MEDIAN], "stroke-width=\"3\" ");
}

static void draw_box(void *context, size_t i, const struct box *b)
{
	static const char *const names[QUANTILES] = {"lowest", "quartile", "median", "quartile",
						     "highest"};
	struct boxes *boxes = context;
	struct output *o = boxes->o;
	const struct svg_frame *f = &boxes->axes.x;
	const double x = f->left + ((double)i + 0.5) * boxes->step;
	const char *name = job_set_group_name(boxes->set, b->group);
	const double space =
	    fmin(boxes->step * (boxes->staggered ? 2 : 1), 2 * fmin(x, PLOT_WIDTH - x));
	const size_t columns = (size_t)(space / COLUMN);
	const double bottom = f->top + f->height;
	char text[SVG_LABEL * 2];
	if (b->known > 0)
		draw_figure(boxes, x, b);
	canvas_rect(o, "t", x - boxes->step / 2, f->top, boxes->step, f->height);
	markup_text(o, name);
	for (unsigned q = 0; q < QUANTILES && b->known > 0; q++)
		output_printf(o, "%s %s %s", q == 0 ? ":" : ",", names[q],
			      printable_bytes(text, sizeof text, (uint64_t)b->at[q]));
	output_text(o, b->known > 0 ? " per second" : ": unknown");
	canvas_rect_end(o);
	snprintf(text, sizeof text, b->known < b->group->count ? "n = %zu of %zu" : "n = %zu",
		 b->known, b->group->count);
	canvas_small(o, x, bottom + 14, "middle", text);
	output_printf(o, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", x,
		      bottom + 32 + (boxes->staggered && i % 2 == 1 ? 18 : 0));
	markup_shortened(o, name, strlen(name), columns > NAME_MIN ? columns : NAME_MIN);
	output_text(o, "</text>\n");
}

static void write_note(const struct boxes *b, struct output *o)
{
	const struct job_set *s = b->set;
	char text[128];
	if (s->groups > b->count) {
		snprintf(text, sizeof text, "the %zu groups with most jobs, of %zu", b->count,
			 s->groups);
		canvas_text(o, PLOT_WIDTH - CANVAS_RIGHT, 18, "end", text);
	}
	jobs_plot_note(s, rate_of(s) == JOB_RATE ? has_rate : has_node_rate,
		       "box: quartiles and median; whiskers: lowest and highest", o);
}

static void draw(const struct plot_data *d, struct output *o)
{
	const struct job_set *s = d->jobs;
	struct boxes b = {.set = s,
			  .o = o,
			  .count = s->groups < BOXES_MAX ? s->groups : BOXES_MAX,
			  .range = ZERO_RANGE};
	struct svg_frame f = {CANVAS_FRAME};
	f.height = HEIGHT - CANVAS_TOP - BOTTOM;
	each_box(s, b.count, add_range, &b, o);
	f.x = (struct svg_axis){NULL, SVG_LINEAR, 0, (double)b.count};
	f.y = zero_range_axis(
	    &b.range, rate_of(s) == JOB_RATE ? "per second" : "per second and node", SVG_BYTES);
	b.axes = zero_axes_make(&f, false, b.range.has_zero);
	b.step = (double)f.width / (double)b.count;
	for (size_t i = 0; i < b.count; i++)
		b.staggered |=
		    (double)strlen(job_set_group_name(s, &s->group[i])) > b.step / COLUMN;
	svg_y_axis(o, &b.axes.y);
	each_box(s, b.count, draw_box, &b, o);
	zero_axes_border(o, &b.axes);
	canvas_text(o, f.left + f.width / 2., HEIGHT - 8, "middle", job_set_by(s));
	write_note(&b, o);
}

static void write_row(void *context, size_t i, const struct box *b)
{
	const struct boxes *boxes = context;
	(void)i;
	jobs_plot_group(boxes->set, b->group->name, boxes->data);
	tsv_number(boxes->data, b->group->count);
	tsv_number(boxes->data, b->known);
	for (unsigned q = 0; q < QUANTILES; q++)
		tsv_real(boxes->data, b->known > 0 ? b->at[q] : (double)NAN);
}

#define QUANTILES_OF(unit)                                                                         \
	"jobs", unit ".n", unit ".0", unit ".0.25", unit ".0.5", unit ".0.75", unit ".1", NULL

static void write_data(const struct plot_data *d, struct tsv *t)
{
	const char *const of_jobs[] = {job_set_by(d->jobs), QUANTILES_OF("slowest_bytes_per_s")},
			  *const of_nodes[] = {job_set_by(d->jobs),
					       QUANTILES_OF("node_bytes_per_s")};
	struct boxes b = {.set = d->jobs, .data = t};
	tsv_begin(t, rate_of(d->jobs) == JOB_RATE ? of_jobs : of_nodes);
	each_box(d->jobs, d->jobs->groups, write_row, &b, t->out);
}

const struct plot plot_box = {
    .name = "box",
    .title = "Rates of jobs, by group",
    .description = "Bytes per second in the I/O time of the slowest process, for each node, of the "
		   "jobs of each group: lowest, quartiles, median and highest.",
    .height = HEIGHT,
    .has_data = has_data,
    .draw = draw,
    .write_data = write_data,
};
