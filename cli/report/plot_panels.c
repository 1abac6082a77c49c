/* SPDX-License-Identifier: BSD-2-Clause */
/* Groups of jobs: their requests in the ten size classes of Darshan, a panel for each group. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/ui/markup.h"

#include "canvas.h"
#include "jobs_plot.h"

enum {
	PANELS_MAX = 12,
	COLUMNS = 2,
	PANEL_HEIGHT = 104,
	PANEL_GAP = 60,
	PANEL_WIDTH = (PLOT_WIDTH - CANVAS_LEFT - CANVAS_RIGHT - PANEL_GAP) / COLUMNS,
	ROW_STEP = PANEL_HEIGHT + 56,
	BOTTOM = 24,
	NAME_COLUMNS = 28,
};

/* Sums over the jobs of a group. */
struct panel {
	double count[2][JOB_CLASSES], requests;
};

static struct panel panel_of(const struct analyze_group *group)
{
	const struct set_job *job = group->job;
	struct panel p = {.requests = 0};
	for (size_t i = 0; i < group->count; i++)
		for (unsigned w = 0; w < 2; w++)
			for (unsigned k = 0; k < JOB_CLASSES; k++) {
				p.count[w][k] += (double)job[i].class_count[w][k];
				p.requests += (double)job[i].class_count[w][k];
			}
	return p;
}

static bool has_requests(const struct set_job *job)
{
	for (unsigned k = 0; k < JOB_CLASSES; k++)
		if (job->class_count[0][k] + job->class_count[1][k] > 0)
			return true;
	return false;
}

static size_t panels_of(const struct job_set *s)
{
	return s->groups < PANELS_MAX ? s->groups : PANELS_MAX;
}

static bool has_data(const struct plot_data *d)
{
	return jobs_plot_count(d->jobs, has_requests) > 0;
}

static int height_of(const struct plot_data *d)
{
	const int rows = (int)(panels_of(d->jobs) + COLUMNS - 1) / COLUMNS;
	return CANVAS_TOP + rows * ROW_STEP + BOTTOM;
}

static void draw_bars(struct output *o, const struct svg_frame *f, const struct panel *p)
{
	const double step = (double)f->width / JOB_CLASSES;
	for (unsigned w = 0; w < 2; w++)
		for (unsigned k = 0; k < JOB_CLASSES; k++) {
			const double percent = 100 * p->count[w][k] / p->requests,
				     y = svg_y(f, percent);
			if (p->count[w][k] <= 0)
				continue;
			canvas_rect(o, w == 0 ? "f r" : "f w", f->left + (k + 0.1 + 0.4 * w) * step,
				    y, 0.4 * step, f->top + f->height - y);
			output_printf(o, "%s of %s: %.0f, %.3g %%", w == 0 ? "reads" : "writes",
				      job_class_names[k], p->count[w][k], percent);
			canvas_rect_end(o);
		}
}

/* The highest share in any panel, as all have the same axis. */
static double max_of(const struct job_set *s)
{
	double max = 0;
	for (size_t i = 0; i < panels_of(s); i++) {
		const struct panel p = panel_of(&s->group[i]);
		for (unsigned w = 0; w < 2; w++)
			for (unsigned k = 0; k < JOB_CLASSES && p.requests > 0; k++)
				max = fmax(max, 100 * p.count[w][k] / p.requests);
	}
	return max;
}

static void draw_panel(const struct job_set *s, size_t i, double max, struct output *o)
{
	static const char *const upper[JOB_CLASSES] = {"100", "1K",  "10K",  "100K", "1M",
						       "4M",  "10M", "100M", "1G",   "more"};
	const struct analyze_group *group = &s->group[i];
	const struct panel p = panel_of(group);
	const struct svg_frame f = {
	    .left = CANVAS_LEFT + (int)(i % COLUMNS) * (PANEL_WIDTH + PANEL_GAP),
	    .top = CANVAS_TOP + 20 + (int)(i / COLUMNS) * ROW_STEP,
	    .width = PANEL_WIDTH,
	    .height = PANEL_HEIGHT,
	    .x = {NULL, SVG_LINEAR, 0, JOB_CLASSES},
	    .y = canvas_axis_to(max, i % COLUMNS == 0 ? "% of requests" : NULL)};
	const char *name = job_set_group_name(s, group);
	char text[64];
	output_printf(o, "<text x=\"%d\" y=\"%d\">", f.left, f.top - 6);
	markup_shortened(o, name, strlen(name), NAME_COLUMNS);
	output_text(o, "<title>");
	markup_text(o, name);
	output_text(o, "</title></text>\n");
	snprintf(text, sizeof text, p.requests > 0 ? "n = %zu" : "n = %zu, no requests",
		 group->count);
	canvas_small(o, f.left + f.width, f.top - 6, "end", text);
	svg_y_axis(o, &f);
	if (p.requests > 0)
		draw_bars(o, &f, &p);
	output_printf(o, "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n",
		      f.left, f.top, f.width, f.height);
	for (unsigned k = 0; k < JOB_CLASSES; k++)
		canvas_small(o, f.left + (k + 0.5) * f.width / JOB_CLASSES, f.top + f.height + 13,
			     "middle", upper[k]);
}

static void draw(const struct plot_data *d, struct output *o)
{
	static const struct canvas_legend legend[] = {{"f r", "reads"}, {"f w", "writes"}, {0}};
	const struct job_set *s = d->jobs;
	const double max = max_of(s);
	char text[96];
	canvas_legend(o, CANVAS_LEFT, legend);
	for (size_t i = 0; i < panels_of(s); i++)
		draw_panel(s, i, max, o);
	canvas_text(o, PLOT_WIDTH / 2., height_of(d) - 12, "middle", "size of requests, up to");
	if (s->groups > PANELS_MAX) {
		snprintf(text, sizeof text, "the %d groups with most jobs, of %zu", PANELS_MAX,
			 s->groups);
		canvas_text(o, PLOT_WIDTH - CANVAS_RIGHT, 18, "end", text);
	}
}

static void write_data(const struct plot_data *d, struct tsv *t)
{
	const struct job_set *s = d->jobs;
	const char *const names[] = {job_set_by(s), "jobs", "class", "reads", "writes", NULL};
	tsv_begin(t, names);
	for (size_t i = 0; i < s->groups; i++) {
		const struct panel p = panel_of(&s->group[i]);
		for (unsigned k = 0; k < JOB_CLASSES; k++) {
			jobs_plot_group(s, s->group[i].name, t);
			tsv_number(t, s->group[i].count);
			tsv_word(t, job_class_names[k]);
			tsv_whole(t, p.count[0][k]);
			tsv_whole(t, p.count[1][k]);
		}
	}
}

const struct plot plot_jobs_classes10 = {
    .name = "classes10",
    .title = "Sizes of requests, in the classes of Darshan",
    .description = "Share of the requests of the jobs of each group in each of the ten size "
		   "classes of Darshan.",
    .height_of = height_of,
    .has_data = has_data,
    .draw = draw,
    .write_data = write_data,
};
