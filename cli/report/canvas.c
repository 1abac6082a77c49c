/* SPDX-License-Identifier: BSD-2-Clause */
#include "canvas.h"

#include <math.h>
#include <stdio.h>

#include "cli/ui/markup.h"

enum { LEGEND_Y = 36, LEGEND_MARK = 18, LEGEND_GAP = 16, DIGIT_WIDTH = 7, TITLE_Y = 18 };

/*
 * Marks: r reads, w writes, m metadata, o total and other, k marks, h highlight. f fills, l is a
 * line, d dashed, p dotted, e dashes and dots, b a band, z the shade of a cycle, x a hexagon, t a
 * tooltip alone. Writes are lighter than reads, for greyscale.
 */
const char plot_style[] =
    "svg text{font:12px sans-serif;fill:#222}svg .grid,svg .paper .grid{stroke:#ddd}"
    "svg .frame{fill:none;stroke:#666}"
    "svg .r{color:#0072B2}svg .w{color:#D55E00}svg .m{color:#009E73}svg .o{color:#555}"
    "svg .k{color:#CC79A7}svg .h{color:#E69F00}"
    "svg .f{fill:currentColor}svg .f.w{fill-opacity:.45;stroke:currentColor;stroke-width:.7}"
    "svg .f.m{fill-opacity:.75}svg .f.o{fill-opacity:.35}svg .f.k{fill-opacity:.7}svg "
    "text.s{font-size:10px}"
    "svg .l{fill:none;stroke:currentColor;stroke-width:1.5}svg .d{stroke-dasharray:6 3}"
    "svg .p{stroke-dasharray:2 2}svg .e{stroke-dasharray:8 3 2 3}svg "
    ".b{fill:currentColor;fill-opacity:.25}"
    "svg .x{stroke:#888;stroke-width:.5}svg .z{fill:#E69F00;fill-opacity:.15}"
    "svg .t{fill:#000;fill-opacity:0}svg .t:hover{fill-opacity:.08}";

static void write_element(struct output *o, const char *name, const char *text)
{
	output_printf(o, "<%s>", name);
	markup_text(o, text);
	output_printf(o, "</%s>\n", name);
}

void plot_write(const struct plot *p, const struct plot_data *d, struct output *o,
		enum plot_use use)
{
	const int own = p->height_of != NULL ? p->height_of(d) : p->height,
		  height = own != 0 ? own : PLOT_HEIGHT;
	output_printf(o,
		      "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%d\" "
		      "height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">\n",
		      PLOT_WIDTH, height, PLOT_WIDTH, height);
	write_element(o, "title", p->title);
	write_element(o, "desc", p->description);
	if (use == PLOT_FILE) {
		write_element(o, "style", plot_style);
		output_printf(o, "<rect fill=\"#fff\" width=\"%d\" height=\"%d\"/>\n", PLOT_WIDTH,
			      height);
	}
	canvas_text(o, CANVAS_LEFT, TITLE_Y, "start", p->title);
	p->draw(d, o);
	output_text(o, "</svg>\n");
}

void canvas_legend(struct output *o, int x, const struct canvas_legend *items)
{
	for (; items->text != NULL; items++) {
		if (strchr(items->mark, 'l') != NULL)
			output_printf(o, "<path class=\"%s\" d=\"M%d,%dh%d\"/>\n", items->mark, x,
				      LEGEND_Y - 4, LEGEND_MARK);
		else
			output_printf(
			    o,
			    "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"10\"/>\n",
			    items->mark, x, LEGEND_Y - 9, LEGEND_MARK);
		canvas_text(o, x + LEGEND_MARK + 5, LEGEND_Y, "start", items->text);
		x += LEGEND_MARK + 5 + LEGEND_GAP + DIGIT_WIDTH * (int)strlen(items->text);
	}
}

void canvas_axes(struct output *o, const struct svg_frame *f)
{
	svg_x_axis(o, f);
	svg_y_axis(o, f);
	output_printf(o, "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n",
		      f->left, f->top, f->width, f->height);
}

static void write_text(struct output *o, double x, double y, const char *attributes,
		       const char *text)
{
	output_printf(o, "<text x=\"%.1f\" y=\"%.1f\" %s\">", x, y, attributes);
	markup_text(o, text);
	output_text(o, "</text>\n");
}

void canvas_text(struct output *o, double x, double y, const char *anchor, const char *text)
{
	char attributes[64];
	snprintf(attributes, sizeof attributes, "text-anchor=\"%s", anchor);
	write_text(o, x, y, attributes, text);
}

void canvas_small(struct output *o, double x, double y, const char *anchor, const char *text)
{
	char attributes[64];
	snprintf(attributes, sizeof attributes, "class=\"s\" text-anchor=\"%s", anchor);
	write_text(o, x, y, attributes, text);
}

void canvas_rect(struct output *o, const char *mark, double x, double y, double width,
		 double height)
{
	output_printf(
	    o, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>",
	    mark, x, y, width, height);
}

void canvas_rect_end(struct output *o)
{
	output_text(o, "</title></rect>\n");
}

void canvas_dot(struct output *o, const char *mark, double x, double y, double radius)
{
	output_printf(o, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"><title>", mark, x,
		      y, radius);
}

void canvas_dot_end(struct output *o)
{
	output_text(o, "</title></circle>\n");
}

const char *canvas_si(char text[SVG_LABEL], double value, const char *unit)
{
	static const char *const prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
	unsigned prefix = 0;
	for (; value >= 999.5 && prefix < 6; prefix++)
		value /= 1000;
	snprintf(text, SVG_LABEL, "%.3g %s%s", value, prefixes[prefix], unit);
	return text;
}

const char *canvas_seconds(char text[SVG_LABEL], double s)
{
	static const struct svg_axis axis = {.scale = SVG_SECONDS};
	return svg_tick(&axis, text, s);
}

/* Over time */

void canvas_set_time(struct svg_frame *f, double begin_s, double end_s)
{
	static const struct {
		double unit;
		const char *label;
	} units[] = {{1, "time, s"}, {1e-3, "time, ms"}, {1e-6, "time, us"}};
	const double span = end_s - begin_s;
	const unsigned i = span >= 1 ? 0 : span >= 1e-3 ? 1 : 2;
	f->x = (struct svg_axis){units[i].label, SVG_LINEAR, begin_s, end_s};
	f->x_unit = units[i].unit;
}

struct svg_axis canvas_axis_to(double max, const char *label)
{
	return (struct svg_axis){label, SVG_LINEAR, 0, max > 0 ? max * 1.02 : 1};
}

const struct canvas_labels canvas_bytes = {{"bytes", "kB", "MB", "GB", "TB"}},
			   canvas_byte_rates = {{"bytes/s", "kB/s", "MB/s", "GB/s", "TB/s"}},
			   canvas_numbers = {{"per second", "thousands per second",
					      "millions per second", "10^9 per second",
					      "10^12 per second"}};

void canvas_set_max(struct svg_frame *f, double max, const struct canvas_labels *labels)
{
	unsigned i = 0;
	double unit = 1;
	for (; max >= 10000 * unit && i < 4; i++)
		unit *= 1000;
	f->y = canvas_axis_to(max, labels->of[i]);
	f->y_unit = unit;
}

/* A step of a path: to a height, and along it. */
static void step(struct output *o, const struct svg_frame *f, const struct plot_column *c,
		 double value, bool begins)
{
	if (begins)
		output_printf(o, "M%.1f,%.1f", svg_x(f, c->begin_s), svg_y(f, value));
	else
		output_printf(o, "V%.1f", svg_y(f, value));
	output_printf(o, "H%.1f", svg_x(f, c->end_s));
}

static void step_back(struct output *o, const struct svg_frame *f, const struct plot_column *c,
		      double value)
{
	output_printf(o, "V%.1fH%.1f", svg_y(f, value), svg_x(f, c->begin_s));
}

void canvas_band(struct output *o, const struct svg_frame *f, const struct columns *c,
		 enum column_kind kind, double scale, const char *mark)
{
	if (c->bins_per_column <= 1)
		return;
	output_printf(o, "<path class=\"%s\" d=\"", mark);
	for (size_t i = 0; i < c->count; i++)
		step(o, f, &c->column[i], c->column[i].max[kind] * scale, i == 0);
	for (size_t i = c->count; i-- > 0;)
		step_back(o, f, &c->column[i], c->column[i].min[kind] * scale);
	output_text(o, "z\"/>\n");
}

void canvas_steps(struct output *o, const struct svg_frame *f, const struct columns *c,
		  enum column_kind kind, double scale, const char *mark)
{
	output_printf(o, "<path class=\"%s\" d=\"", mark);
	for (size_t i = 0; i < c->count; i++)
		step(o, f, &c->column[i], c->column[i].mean[kind] * scale, i == 0);
	output_text(o, "\"/>\n");
}

/* The area of the columns from `first` to before `end`. */
static void area_run(struct output *o, const struct svg_frame *f, const struct columns *c,
		     enum column_kind low, enum column_kind high, double scale, size_t first,
		     size_t end)
{
	for (size_t i = first; i < end; i++) {
		const double *mean = c->column[i].mean;
		const double base = low < COLUMN_KINDS ? mean[low] : 0;
		step(o, f, &c->column[i], (base + mean[high]) * scale, i == first);
	}
	for (size_t i = end; i-- > first;)
		step_back(o, f, &c->column[i],
			  low < COLUMN_KINDS ? c->column[i].mean[low] * scale : 0);
	output_text(o, "z");
}

/* Columns without `high` have no area, and no outline, which would outline `low`. */
void canvas_area(struct output *o, const struct svg_frame *f, const struct columns *c,
		 enum column_kind low, enum column_kind high, double scale, const char *mark)
{
	output_printf(o, "<path class=\"%s\" d=\"", mark);
	for (size_t i = 0, end; i < c->count; i = end) {
		end = i;
		while (end < c->count && c->column[end].mean[high] > 0)
			end++;
		if (end > i)
			area_run(o, f, c, low, high, scale, i, end);
		else
			end++;
	}
	output_text(o, "\"/>\n");
}
