/* SPDX-License-Identifier: BSD-2-Clause */
#include "plots.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/ui/svg.h"
#include "cli/ui/trace_out.h"

enum { LINES_MAX = 4, PATH_TEXT = 4096, BINS = 240, RATIO_BINS = 40 };
enum { PLOT_BYTES, PLOT_NODES_IO, PLOT_NODES_TIME, PLOT_IO_RATIOS, PLOT_TIME_RATIOS, PLOTS };

static const char *const plot_names[PLOTS] = {"bytes", "nodes_io", "nodes_time", "io_ratios",
					      "time_ratios"};

struct drawing {
	struct svg_series series[LINES_MAX];
	double *values; /* of all lines */
	size_t lines, used;
};

static double seconds(int64_t ps)
{
	return (double)ps / (double)MODEL_PS_PER_S;
}

/* Adds a line with memory for count points. */
static void add_line(struct drawing *d, const char *name, size_t count, double **x, double **y)
{
	*x = d->values + d->used;
	*y = *x + count;
	d->used += 2 * count;
	d->series[d->lines++] = (struct svg_series){.name = name, .x = *x, .y = *y, .count = count};
}

static enum exit_status draw(struct drawing *d, const char *directory, size_t plot,
			     struct svg_plot *p)
{
	char path[PATH_TEXT];
	struct output o = {.status = IOT_OK};
	p->series = d->series;
	p->count = d->lines;
	for (size_t i = 0; i < d->lines; i++)
		for (size_t k = 0; k < d->series[i].count; k++) {
			p->x.max = fmax(p->x.max, d->series[i].x[k]);
			p->y.max = fmax(p->y.max, d->series[i].y[k]);
		}
	if (p->x.max <= p->x.min)
		p->x.max = p->x.min + 1;
	if (p->y.max <= p->y.min)
		p->y.max = p->y.min + 1;
	snprintf(path, sizeof path, "%s/%s.svg", directory, plot_names[plot]);
	if (output_open(&o, path, 0) != EXIT_OK)
		return EXIT_FAILED;
	svg_write(&o, p);
	return output_close(&o);
}

/* Bytes over time */

static double span_s(const struct model_results *r)
{
	double end_s = 0;
	for (size_t i = 0; i < r->input.nodes; i++)
		for (size_t k = 0; k < r->input.node[i].count; k++) {
			const struct model_log *l = &r->input.node[i].log[k];
			end_s = fmax(end_s, seconds(l->start_ps + l->took_ps));
		}
	return end_s;
}

static void add_bytes(struct drawing *d, const struct model_results *r, const char *name,
		      bool simulated, unsigned direction)
{
	double *x, *y;
	const double width_s = span_s(r) / BINS;
	add_line(d, name, BINS, &x, &y);
	for (size_t b = 0; b < BINS; b++) {
		x[b] = (double)b * width_s;
		y[b] = 0;
	}
	for (size_t i = 0; i < r->input.nodes && width_s > 0; i++)
		for (size_t k = 0; k < r->input.node[i].count; k++) {
			const struct model_log *l = &r->input.node[i].log[k];
			const size_t b = (size_t)(seconds(l->start_ps) / width_s);
			y[b < BINS ? b : BINS - 1] +=
			    (double)(simulated ? r->base.outcome[i][k].bytes[direction]
					       : l->bytes[direction]);
		}
	d->series[d->lines - 1].steps = true;
}

static enum exit_status plot_bytes(struct drawing *d, const struct model_results *r,
				   const char *directory)
{
	struct svg_plot p = {.title = "Bytes of all I/O nodes",
			     .description = "Logged and simulated bytes by the begin of intervals.",
			     .x = {"s", SVG_LINEAR, 0, 0},
			     .y = {"bytes", SVG_LINEAR, 0, 0}};
	add_bytes(d, r, "read, logged", false, MODEL_READ);
	add_bytes(d, r, "read, simulated", true, MODEL_READ);
	add_bytes(d, r, "written, logged", false, MODEL_WRITE);
	add_bytes(d, r, "written, simulated", true, MODEL_WRITE);
	return draw(d, directory, PLOT_BYTES, &p);
}

/* I/O nodes */

static void add_nodes(struct drawing *d, const char *name, const struct model_times *t, size_t n,
		      bool io)
{
	double *x, *y;
	add_line(d, name, n, &x, &y);
	for (size_t i = 0; i < n; i++) {
		x[i] = (double)i + 1;
		y[i] = seconds(io ? t[i].io_ps : t[i].end_ps - t[i].begin_ps);
	}
}

static enum exit_status plot_nodes(struct drawing *d, const struct model_results *r,
				   const char *directory, bool io)
{
	struct svg_plot p = {.title = io ? "I/O time of I/O nodes" : "Time of I/O nodes",
			     .description = "In the original system and in the variant.",
			     .x = {"I/O node", SVG_LINEAR, 0, 0},
			     .y = {"s", SVG_LINEAR, 0, 0}};
	add_nodes(d, "original", r->node_base, r->input.nodes, io);
	add_nodes(d, "variant", r->node_variant, r->input.nodes, io);
	return draw(d, directory, io ? PLOT_NODES_IO : PLOT_NODES_TIME, &p);
}

/* Ratios */

static void add_cumulative(struct drawing *d, const struct population *of)
{
	double *x, *y;
	add_line(d, "up to it", of->n, &x, &y);
	for (size_t i = 0; i < of->n; i++) {
		x[i] = of->value[i];
		y[i] = (double)(i + 1) / (double)of->n;
	}
	d->series[d->lines - 1].steps = true;
}

/*
 * Bins of one width between the smallest and the largest ratio; the last point ends the last bin.
 */
static void add_bins(struct drawing *d, const struct population *of)
{
	double *x, *y;
	const double first = of->value[0], width = (of->value[of->n - 1] - first) / RATIO_BINS;
	add_line(d, "in a bin", RATIO_BINS + 1, &x, &y);
	for (size_t b = 0; b <= RATIO_BINS; b++) {
		x[b] = first + (double)b * width;
		y[b] = 0;
	}
	for (size_t i = 0; i < of->n; i++) {
		const size_t b = width > 0 ? (size_t)((of->value[i] - first) / width) : 0;
		y[b < RATIO_BINS ? b : RATIO_BINS - 1] += 1.0 / (double)of->n;
	}
	d->series[d->lines - 1].steps = true;
}

static enum exit_status plot_ratios(struct drawing *d, const struct model_results *r,
				    const char *directory, bool io)
{
	const struct population *of = io ? &r->io_ratios : &r->time_ratios;
	struct svg_plot p = {.title = io ? "I/O time of jobs, variant divided by original"
					 : "Time of jobs, variant divided by original",
			     .description =
				 "Share of jobs with ratios in a bin, and up to a value.",
			     .x = {"ratio", SVG_LINEAR, of->n > 0 ? of->value[0] : 0, 0},
			     .y = {"share of jobs", SVG_LINEAR, 0, 1}};
	add_cumulative(d, of);
	if (of->n > 0)
		add_bins(d, of);
	return draw(d, directory, io ? PLOT_IO_RATIOS : PLOT_TIME_RATIOS, &p);
}

static enum exit_status plot(const struct model_results *r, const char *directory, size_t which,
			     double *values)
{
	struct drawing d = {.values = values};
	if (which == PLOT_BYTES)
		return plot_bytes(&d, r, directory);
	if (which < PLOT_IO_RATIOS)
		return plot_nodes(&d, r, directory, which == PLOT_NODES_IO);
	return plot_ratios(&d, r, directory, which == PLOT_IO_RATIOS);
}

enum exit_status model_plots_write(const struct model_results *r, const char *directory)
{
	const size_t points = BINS + r->input.nodes + r->input.jobs;
	double *values = malloc(2 * LINES_MAX * points * sizeof *values);
	if (values == NULL)
		return message_no_memory();
	enum exit_status status = trace_out_make_directory(directory);
	for (size_t i = 0; i < (r->has_variant ? PLOTS : 1) && status == EXIT_OK; i++)
		status = plot(r, directory, i, values);
	free(values);
	return status;
}

void model_plots_add_files(struct same_file_set *files, const char *directory)
{
	char path[PATH_TEXT];
	for (size_t i = 0; i < PLOTS; i++) {
		snprintf(path, sizeof path, "%s/%s.svg", directory, plot_names[i]);
		same_file_add_output(files, ROLE_OUTPUT, "--plots", path);
	}
}
