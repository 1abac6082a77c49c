/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes and time of each process, and the mean share of the run time. */
#include <math.h>
#include <stdio.h>

#include "lib/result/names.h"

#include "canvas.h"

enum { BARS_MAX = 256, PANE_HEIGHT = 96, PANE_GAP = 24, SERIES_MAX = 3 };

static bool has_data(const struct plot_data *d)
{
	return d->processes.count > 0;
}

static double bytes_of(const struct process_row *p, unsigned kind)
{
	return (double)p->bytes[kind];
}

/* NAN: unknown. */
static double seconds_of(const struct process_row *p, unsigned kind)
{
	return p->ns[kind] / 1e9;
}

static bool is_unknown(const struct process_row *p)
{
	return isnan(p->ns[0]) || isnan(p->ns[1]) || isnan(p->ns[2]);
}

/* A pane: stacked bars, each the mean of equally many processes. */
struct pane {
	const struct canvas_labels *labels;
	const char *(*text)(char text[SVG_LABEL], double value);
	double (*value)(const struct process_row *p, unsigned kind);
	unsigned kinds;
	int top;
};

static const char *const marks[SERIES_MAX] = {"f r", "f w", "f m"};

static size_t bars_of(const struct process_list *p)
{
	return p->count < BARS_MAX ? p->count : BARS_MAX;
}

/* The mean of the processes from first to before end of which it is known; 0 if there are none. */
static double mean_of(const struct process_list *p, const struct pane *pane, size_t first,
		      size_t end, unsigned kind)
{
	double sum = 0;
	size_t n = 0;
	for (size_t i = first; i < end; i++) {
		const double value = pane->value(&p->row[i], kind);
		sum += isnan(value) ? 0 : value;
		n += isnan(value) ? 0 : 1;
	}
	return n > 0 ? sum / (double)n : 0;
}

static double bar_value(const struct process_list *p, const struct pane *pane, size_t bar,
			unsigned kind)
{
	return mean_of(p, pane, bar * p->count / bars_of(p), (bar + 1) * p->count / bars_of(p),
		       kind);
}

static double bar_sum(const struct process_list *p, const struct pane *pane, size_t bar)
{
	double sum = 0;
	for (unsigned kind = 0; kind < pane->kinds; kind++)
		sum += bar_value(p, pane, bar, kind);
	return sum;
}

static void write_tip(struct output *o, const struct process_list *p, const struct pane *pane,
		      size_t bar)
{
	static const char *const names[SERIES_MAX] = {"read", "written", "metadata"};
	const size_t first = bar * p->count / bars_of(p), end = (bar + 1) * p->count / bars_of(p);
	char text[SVG_LABEL];
	output_printf(o, "%s %ju", p->ranked ? "rank" : "process",
		      (uintmax_t)process_list_label(p, first));
	if (end - first > 1)
		output_printf(o, " to %ju, mean", (uintmax_t)process_list_label(p, end - 1));
	for (unsigned kind = 0; kind < pane->kinds; kind++)
		output_printf(o, "%s %s %s", kind == 0 ? ":" : ",", names[kind],
			      end - first == 1 && isnan(pane->value(&p->row[first], kind))
				  ? "unknown"
				  : pane->text(text, bar_value(p, pane, bar, kind)));
}

/* All bars of a kind are one path; a transparent bar has the tooltip. */
static void draw_bars(struct output *o, const struct svg_frame *f, const struct process_list *p,
		      const struct pane *pane)
{
	const size_t n = bars_of(p);
	const double step = (double)f->width / (double)n, gap = n > 64 ? 0 : 0.1 * step;
	for (unsigned kind = 0; kind < pane->kinds; kind++) {
		output_printf(o, "<path class=\"%s\" d=\"", marks[kind]);
		for (size_t bar = 0; bar < n; bar++) {
			double base = 0;
			for (unsigned k = 0; k < kind; k++)
				base += bar_value(p, pane, bar, k);
			const double top = base + bar_value(p, pane, bar, kind);
			if (top <= base)
				continue;
			output_printf(o, "M%.1f,%.1fH%.1fV%.1fH%.1fz",
				      f->left + (double)bar * step + gap, svg_y(f, base),
				      f->left + (double)(bar + 1) * step - gap, svg_y(f, top),
				      f->left + (double)bar * step + gap);
		}
		output_text(o, "\"/>\n");
	}
	for (size_t bar = 0; bar < n; bar++) {
		canvas_rect(o, "t", f->left + (double)bar * step, f->top, step, f->height);
		write_tip(o, p, pane, bar);
		canvas_rect_end(o);
	}
}

/* An axis of less than a second. */
static void set_short(struct svg_frame *f, double max_s)
{
	static const char *const labels[] = {"ms", "us", "ns"};
	unsigned i = 0;
	double unit = 1e-3;
	for (; max_s < unit && i < 2; i++)
		unit /= 1000;
	f->y = canvas_axis_to(max_s, labels[i]);
	f->y_unit = unit;
}

static const char *byte_text(char text[SVG_LABEL], double bytes)
{
	return canvas_si(text, bytes, "B");
}

static void draw_pane(struct output *o, const struct process_list *p, const struct pane *pane)
{
	double max = 0, mean = 0;
	for (size_t bar = 0; bar < bars_of(p); bar++)
		max = fmax(max, bar_sum(p, pane, bar));
	for (unsigned kind = 0; kind < pane->kinds; kind++)
		mean += mean_of(p, pane, 0, p->count, kind);
	struct svg_frame f = {.left = CANVAS_LEFT,
			      .top = pane->top,
			      .width = PLOT_WIDTH - CANVAS_LEFT - CANVAS_RIGHT,
			      .height = PANE_HEIGHT,
			      .x = {NULL, SVG_LINEAR, 0, (double)bars_of(p)}};
	canvas_set_max(&f, max, pane->labels);
	if (max < 1 && pane->value == seconds_of)
		set_short(&f, max);
	svg_y_axis(o, &f);
	draw_bars(o, &f, p, pane);
	output_printf(o, "<path class=\"l p o\" d=\"M%d,%.1fh%d\"><title>mean</title></path>\n",
		      f.left, svg_y(&f, mean), f.width);
	output_printf(o, "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n",
		      f.left, f.top, f.width, f.height);
}

/* Ids of up to ten bars, under them. */
static void draw_labels(struct output *o, const struct process_list *p, int y)
{
	enum { LABELS = 10 };
	const size_t n = bars_of(p), every = (n + LABELS - 1) / LABELS;
	const double step = (double)(PLOT_WIDTH - CANVAS_LEFT - CANVAS_RIGHT) / (double)n;
	char text[SVG_LABEL];
	for (size_t bar = 0; bar < n; bar += every) {
		snprintf(text, sizeof text, "%ju",
			 (uintmax_t)process_list_label(p, bar * p->count / n));
		canvas_text(o, CANVAS_LEFT + ((double)bar + 0.5) * step, y, "middle", text);
	}
	canvas_text(o, CANVAS_LEFT + (PLOT_WIDTH - CANVAS_LEFT - CANVAS_RIGHT) / 2., y + 20,
		    "middle", p->ranked ? "rank" : "process");
}

static void draw(const struct plot_data *d, struct output *o)
{
	static const struct canvas_legend legend[] = {{"f r", "read"},
						      {"f w", "written"},
						      {"f m", "metadata"},
						      {"l p o", "mean of all"},
						      {0}};
	static const struct canvas_labels seconds = {{"s", "ks", "Ms", "Gs", "Ts"}};
	const struct pane bytes = {&canvas_bytes, byte_text, bytes_of, 2, CANVAS_TOP},
			  times = {&seconds, canvas_seconds, seconds_of, 3,
				   CANVAS_TOP + PANE_HEIGHT + PANE_GAP};
	char text[128];
	size_t unknown = 0;
	for (size_t i = 0; i < d->processes.count; i++)
		unknown += is_unknown(&d->processes.row[i]);
	draw_pane(o, &d->processes, &bytes);
	draw_pane(o, &d->processes, &times);
	draw_labels(o, &d->processes, times.top + PANE_HEIGHT + 16);
	canvas_legend(o, CANVAS_LEFT, legend);
	int n = 0;
	if (d->processes.count > BARS_MAX)
		n = snprintf(text, sizeof text, "%zu processes, bars: mean of neighbours%s",
			     d->processes.count, unknown > 0 ? "; " : "");
	if (unknown > 0)
		n += snprintf(text + n, sizeof text - (size_t)n,
			      "times of %zu process%s are unknown", unknown,
			      unknown == 1 ? "" : "es");
	if (n > 0)
		canvas_text(o, PLOT_WIDTH - CANVAS_RIGHT, 18, "end", text);
}

static void write_data(const struct plot_data *d, struct tsv *t)
{
	static const char *const names[] = {"process", "rank",   "bytes_read", "bytes_written",
					    "t_r_ns",  "t_w_ns", "md_time_ns", NULL};
	tsv_begin(t, names);
	for (size_t i = 0; i < d->processes.count; i++) {
		const struct process_row *p = &d->processes.row[i];
		tsv_number(t, p->id);
		tsv_whole(t, p->has_rank ? (double)p->rank : (double)NAN);
		tsv_number(t, p->bytes[0]);
		tsv_number(t, p->bytes[1]);
		for (unsigned k = 0; k < PROCESS_TIMES; k++)
			tsv_whole(t, p->ns[k]);
	}
}

const struct plot plot_processes = {
    .name = "processes",
    .title = "Bytes and time of processes",
    .description = "Above: bytes read and written by each process. Below: its time in reads, "
		   "writes and metadata operations.",
    .height = PLOT_HEIGHT,
    .has_data = has_data,
    .draw = draw,
    .write_data = write_data,
};

/* Cost */

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
    .height = PLOT_HEIGHT,
    .has_data = has_cost,
    .draw = draw_cost,
    .write_data = write_cost,
};
