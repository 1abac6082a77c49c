/* SPDX-License-Identifier: BSD-2-Clause */
/* The shares of the run time in I/O: the mean of the processes, and the process with most. */
#include <math.h>
#include <stdio.h>

#include "lib/result/names.h"

#include "canvas.h"

enum { COST_READ, COST_WRITE, COST_METADATA, COST_OTHER, COSTS };

/* Percents of the run time: of the mean, or of the process with most. Returns false if unknown. */
static bool costs_of(const struct plot_data *d, bool of_longest, double cost[COSTS])
{
	const double run_ns = 1e9 * plot_number(d, VALUE(trace, run_time_s), NULL),
		     n = plot_number(d, VALUE(trace, processes), NULL);
	double sum = 0, longest = -1;
	for (unsigned k = 0; k < COSTS; k++)
		cost[k] = 0;
	for (size_t i = 0; i < d->processes.count; i++) {
		const double *ns = d->processes.row[i].ns;
		const double all = ns[0] + ns[1] + ns[2];
		for (unsigned k = 0; k < PROCESS_TIMES && !of_longest; k++)
			cost[k] += 100 * ns[k] / run_ns / n;
		for (unsigned k = 0; k < PROCESS_TIMES && of_longest && all > longest; k++)
			cost[k] = 100 * ns[k] / run_ns;
		longest = fmax(longest, all);
	}
	for (unsigned k = 0; k < PROCESS_TIMES; k++)
		sum += cost[k];
	cost[COST_OTHER] = fmax(0, 100 - sum);
	return run_ns > 0 && n > 0 && !isnan(sum);
}

static bool has_cost(const struct plot_data *d)
{
	double cost[COSTS];
	return d->processes.count > 0 && costs_of(d, false, cost);
}

static const char *const cost_names[COSTS] = {"reads", "writes", "metadata", "other"};

static void draw_cost_bar(struct output *o, const struct svg_frame *f, double y,
			  const double cost[COSTS], const char *label)
{
	enum { BAR = 56, TEXT_WIDTH = 44 };
	static const char *const cost_marks[COSTS] = {"f r", "f w", "f m", "f o"};
	double base = 0;
	char text[SVG_LABEL];
	canvas_text(o, f->left, y - 8, "start", label);
	for (unsigned k = 0; k < COSTS; k++) {
		const double x = svg_x(f, base), width = svg_x(f, base + cost[k]) - x;
		base += cost[k];
		if (width <= 0)
			continue;
		canvas_rect(o, cost_marks[k], x, y, width, BAR);
		output_printf(o, "%s: %.3g %%", cost_names[k], cost[k]);
		canvas_rect_end(o);
		snprintf(text, sizeof text, "%.1f %%", cost[k]);
		if (width >= TEXT_WIDTH && k == COST_READ)
			output_printf(o,
				      "<text style=\"fill:#fff\" x=\"%.1f\" y=\"%.1f\" "
				      "text-anchor=\"middle\">%s</text>\n",
				      x + width / 2, y + BAR / 2. + 4, text);
		else if (width >= TEXT_WIDTH)
			canvas_text(o, x + width / 2, y + BAR / 2. + 4, "middle", text);
	}
}

static void draw_cost(const struct plot_data *d, struct output *o)
{
	static const struct canvas_legend legend[] = {
	    {"f r", "reads"}, {"f w", "writes"}, {"f m", "metadata"}, {"f o", "other"}, {0}};
	double mean[COSTS], longest[COSTS], max = 0;
	const bool known = costs_of(d, false, mean) && costs_of(d, true, longest);
	double sums[2] = {0};
	for (unsigned k = 0; k < COSTS && known; k++) {
		sums[0] += mean[k];
		sums[1] += longest[k];
	}
	max = fmax(100, fmax(sums[0], sums[1]));
	const struct svg_frame f = {.left = CANVAS_LEFT,
				    .top = CANVAS_TOP,
				    .width = PLOT_WIDTH - CANVAS_LEFT - CANVAS_RIGHT,
				    .height = PLOT_HEIGHT - CANVAS_TOP - CANVAS_BOTTOM,
				    .x = {"% of the run time", SVG_LINEAR, 0, max}};
	svg_x_axis(o, &f);
	draw_cost_bar(o, &f, f.top + 32, mean, "mean of the processes");
	draw_cost_bar(o, &f, f.top + 136, longest, "process longest in I/O and metadata");
	canvas_legend(o, CANVAS_LEFT, legend);
}

static void write_cost(const struct plot_data *d, struct tsv *t)
{
	static const char *const names[] = {"time", "mean_percent", "longest_percent", NULL};
	double mean[COSTS], longest[COSTS];
	tsv_begin(t, names);
	if (!costs_of(d, false, mean) || !costs_of(d, true, longest))
		return;
	for (unsigned k = 0; k < COSTS; k++) {
		tsv_word(t, cost_names[k]);
		tsv_real(t, mean[k]);
		tsv_real(t, longest[k]);
	}
}

const struct plot plot_cost = {
    .name = "cost",
    .title = "Run time in I/O",
    .description = "Share of the run time in reads, writes, metadata operations and other work: "
		   "the mean of the processes, and the process with most.",
    .has_data = has_cost,
    .draw = draw_cost,
    .write_data = write_cost,
};
