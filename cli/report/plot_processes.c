/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes and time of each process, or bytes of each host. */
#include <math.h>
#include <stdio.h>

#include "canvas.h"

enum { BARS_MAX = 256, PANE_HEIGHT = 96, PANE_GAP = 24, LABEL_GAP = 16, SERIES_MAX = 3 };

static bool has_data(const struct plot_data *d)
{
	return d->processes.count > 0 && !d->processes.hosts;
}

static bool has_hosts(const struct plot_data *d)
{
	return d->processes.count > 0 && d->processes.hosts;
}

/* NAN: unknown. */
static double bytes_of(const struct process_row *p, unsigned kind)
{
	return p->has_bytes[kind] ? (double)p->bytes[kind] : (double)NAN;
}

static double seconds_of(const struct process_row *p, unsigned kind)
{
	return p->ns[kind] / 1e9;
}

/* A pane: stacked bars, each the mean of equally many processes. */
struct pane {
	const struct canvas_labels *labels;
	const char *(*text)(char text[SVG_LABEL], double value);
	double (*value)(const struct process_row *p, unsigned kind);
	unsigned kinds;
	int top, height;
};

/* The processes of which not all values of a pane are known. */
static size_t unknown_of(const struct process_list *p, const struct pane *pane)
{
	size_t n = 0;
	for (size_t i = 0; i < p->count; i++) {
		double sum = 0;
		for (unsigned kind = 0; kind < pane->kinds; kind++)
			sum += pane->value(&p->row[i], kind);
		n += isnan(sum) ? 1 : 0;
	}
	return n;
}

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
	output_printf(o, "%s ", process_list_noun(p));
	process_label_whole(o, process_list_label(p, first));
	if (end - first > 1) {
		output_text(o, " to ");
		process_label_whole(o, process_list_label(p, end - 1));
		output_text(o, ", mean");
	}
	for (unsigned kind = 0; kind < pane->kinds && kind < SERIES_MAX; kind++)
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
			      .height = pane->height,
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

/* Labels of up to ten bars, or eight names, under them. */
static void draw_labels(struct output *o, const struct process_list *p, int y)
{
	const size_t labels = p->hosts ? 8 : 10, n = bars_of(p), every = (n + labels - 1) / labels;
	const double step = (double)(PLOT_WIDTH - CANVAS_LEFT - CANVAS_RIGHT) / (double)n;
	for (size_t bar = 0; bar < n; bar += every) {
		output_printf(o, "<text%s x=\"%.1f\" y=\"%d.0\" text-anchor=\"middle\">",
			      p->hosts ? " class=\"s\"" : "",
			      CANVAS_LEFT + ((double)bar + 0.5) * step, y);
		process_label_write(o, process_list_label(p, bar * p->count / n));
		output_text(o, "</text>\n");
	}
	canvas_text(o, CANVAS_LEFT + (PLOT_WIDTH - CANVAS_LEFT - CANVAS_RIGHT) / 2., y + 20,
		    "middle", process_list_noun(p));
}

/* Writes how many processes a bar has, and of how many the values of a pane are unknown. */
static void draw_note(struct output *o, const struct process_list *p, const struct pane *pane,
		      const char *values)
{
	const char *noun = p->hosts ? "host" : "process", *many = p->hosts ? "s" : "es";
	const size_t unknown = unknown_of(p, pane);
	char text[128];
	int n = 0;
	if (p->count > BARS_MAX)
		n = snprintf(text, sizeof text, "%zu %s%s, bars: mean of neighbours%s", p->count,
			     noun, many, unknown > 0 ? "; " : "");
	if (unknown > 0)
		n += snprintf(text + n, sizeof text - (size_t)n, "%s of %zu %s%s are unknown",
			      values, unknown, noun, unknown == 1 ? "" : many);
	if (n > 0)
		canvas_text(o, PLOT_WIDTH - CANVAS_RIGHT, 18, "end", text);
}

static void draw(const struct plot_data *d, struct output *o)
{
	static const struct canvas_legend legend[] = {{"f r", "read"},
						      {"f w", "written"},
						      {"f m", "metadata"},
						      {"l p o", "mean of all"},
						      {0}};
	static const struct canvas_labels seconds = {{"s", "ks", "Ms", "Gs", "Ts"}};
	const struct pane bytes = {&canvas_bytes, byte_text, bytes_of, 2, CANVAS_TOP, PANE_HEIGHT},
			  times = {&seconds,
				   canvas_seconds,
				   seconds_of,
				   3,
				   CANVAS_TOP + PANE_HEIGHT + PANE_GAP,
				   PANE_HEIGHT};
	draw_pane(o, &d->processes, &bytes);
	draw_pane(o, &d->processes, &times);
	draw_labels(o, &d->processes, times.top + times.height + LABEL_GAP);
	canvas_legend(o, CANVAS_LEFT, legend);
	draw_note(o, &d->processes, &times, "times");
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
    .has_data = has_data,
    .draw = draw,
    .write_data = write_data,
};

/* Samples have no times of hosts. */
static void draw_hosts(const struct plot_data *d, struct output *o)
{
	static const struct canvas_legend legend[] = {
	    {"f r", "read"}, {"f w", "written"}, {"l p o", "mean of all"}, {0}};
	const struct pane bytes = {
	    &canvas_bytes, byte_text, bytes_of, 2, CANVAS_TOP, 2 * PANE_HEIGHT + PANE_GAP};
	draw_pane(o, &d->processes, &bytes);
	draw_labels(o, &d->processes, bytes.top + bytes.height + LABEL_GAP);
	canvas_legend(o, CANVAS_LEFT, legend);
	draw_note(o, &d->processes, &bytes, "bytes");
}

static void write_hosts(const struct plot_data *d, struct tsv *t)
{
	static const char *const names[] = {"host", "bytes_read", "bytes_written", NULL};
	tsv_begin(t, names);
	for (size_t i = 0; i < d->processes.count; i++) {
		const struct process_row *p = &d->processes.row[i];
		process_label_field(tsv_cell(t), process_list_label(&d->processes, i));
		for (unsigned k = 0; k < 2; k++)
			if (p->has_bytes[k])
				tsv_number(t, p->bytes[k]);
			else
				tsv_unknown(t);
	}
}

const struct plot plot_hosts = {
    .name = "hosts",
    .title = "Bytes of hosts",
    .description = "Bytes read and written by each host, as its samples count them.",
    .has_data = has_hosts,
    .draw = draw_hosts,
    .write_data = write_hosts,
};
