/* SPDX-License-Identifier: BSD-2-Clause */
#include "svg.h"

#include <math.h>

#include "markup.h"

enum {
	HEIGHT = 320,
	LEFT = 64,
	RIGHT = 150, /* the legend is there */
	TOP = 32,
	BOTTOM = 48,
	PLOT_WIDTH = SVG_WIDTH - LEFT - RIGHT,
	PLOT_HEIGHT = HEIGHT - TOP - BOTTOM,
	LEGEND_STEP = 18,
	LEGEND_MAX = (PLOT_HEIGHT / LEGEND_STEP),
	LEGEND_CHARACTERS = 15,
	MARKS_MAX = 100, /* points of a line that has marks */
};

/* Okabe and Ito's colours, dark enough for thin lines. */
static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#555555",
				      "#CC79A7", "#E69F00", "#000000", "#56B4E9"};
static const char *const dashes[] = {"", "6 3", "2 2", "8 3 2 3", "12 4", "4 4", "1 3", "10 2 2 2"};
enum { STYLES = sizeof colours / sizeof colours[0] };

static void write_element(struct output *o, const char *name, const char *text)
{
	output_printf(o, "<%s>", name);
	markup_text(o, text);
	output_printf(o, "</%s>\n", name);
}

static struct svg_frame frame_of(const struct svg_plot *p)
{
	return (struct svg_frame){.left = LEFT,
				  .top = TOP,
				  .width = PLOT_WIDTH,
				  .height = PLOT_HEIGHT,
				  .x = p->x,
				  .y = p->y};
}

/* Series */

/* Every which point is shown, so that a line has at most SVG_POINTS_MAX. */
static size_t stride_of(const struct svg_series *s)
{
	return s->count / SVG_POINTS_MAX + 1;
}

static bool is_shown(const struct svg_series *s, size_t i)
{
	return i % stride_of(s) == 0 || i + 1 == s->count;
}

static void write_band(struct output *o, const struct svg_frame *f, const struct svg_series *s,
		       const char *colour)
{
	output_printf(o, "<polygon fill=\"%s\" fill-opacity=\"0.2\" stroke=\"none\" points=\"",
		      colour);
	for (size_t i = 0; i < s->count; i++)
		if (is_shown(s, i))
			output_printf(o, "%.1f,%.1f ", svg_x(f, s->x[i]), svg_y(f, s->low[i]));
	for (size_t i = s->count; i-- > 0;)
		if (is_shown(s, i))
			output_printf(o, "%.1f,%.1f ", svg_x(f, s->x[i]), svg_y(f, s->high[i]));
	output_text(o, "\"/>\n");
}

static void write_path(struct output *o, const struct svg_frame *f, const struct svg_series *s)
{
	bool draws = false;
	double before = 0;
	for (size_t i = 0; i < s->count; i++) {
		if (!is_shown(s, i))
			continue;
		if (isnan(s->y[i])) {
			draws = false;
			continue;
		}
		const double x = svg_x(f, s->x[i]), y = svg_y(f, s->y[i]);
		if (draws && s->steps)
			output_printf(o, "L%.1f,%.1f", x, before);
		output_printf(o, "%c%.1f,%.1f", draws ? 'L' : 'M', x, y);
		draws = true;
		before = y;
	}
}

/* A mark for each point, whose tooltip has the values. */
static void write_marks(struct output *o, const struct svg_frame *f, const struct svg_series *s,
			const char *colour)
{
	char x[SVG_LABEL], y[SVG_LABEL];
	for (size_t i = 0; i < s->count; i++) {
		if (isnan(s->y[i]))
			continue;
		output_printf(o, "<circle fill=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\"><title>",
			      colour, svg_x(f, s->x[i]), svg_y(f, s->y[i]));
		markup_text(o, s->name);
		output_printf(o, ": %s, %s</title></circle>\n", svg_tick(&f->x, x, s->x[i]),
			      svg_tick(&f->y, y, s->y[i]));
	}
}

static void write_series(struct output *o, const struct svg_plot *p, size_t i)
{
	const struct svg_series *s = &p->series[i];
	const struct svg_frame frame = frame_of(p), *f = &frame;
	const char *colour = colours[i % STYLES];
	output_text(o, "<g>\n");
	write_element(o, "title", s->name);
	if (s->low != NULL && s->count > 0)
		write_band(o, f, s, colour);
	output_printf(o, "<path class=\"line\" stroke=\"%s\" stroke-dasharray=\"%s\" d=\"", colour,
		      dashes[i % STYLES]);
	write_path(o, f, s);
	output_text(o, "\"/>\n");
	if (s->count <= MARKS_MAX)
		write_marks(o, f, s, colour);
	output_text(o, "</g>\n");
}

/* The end of a name that is too long, which distinguishes paths; the title of the line has all. */
static void write_name(struct output *o, const char *name)
{
	size_t characters = 0;
	for (const char *c = name; *c != '\0'; c++)
		characters += (*c & 0xc0) != 0x80;
	if (characters > LEGEND_CHARACTERS)
		output_text(o, "&#8230;");
	for (; characters > LEGEND_CHARACTERS; characters--)
		for (name++; (*name & 0xc0) == 0x80;)
			name++;
	markup_text(o, name);
}

static void write_legend(struct output *o, const struct svg_plot *p)
{
	for (size_t i = 0; i < p->count && i < LEGEND_MAX; i++) {
		const int x = LEFT + PLOT_WIDTH + 12, y = TOP + 8 + LEGEND_STEP * (int)i;
		output_printf(o,
			      "<path class=\"line\" stroke=\"%s\" stroke-dasharray=\"%s\" "
			      "d=\"M%d,%dh28\"/>\n<text x=\"%d\" y=\"%d\">",
			      colours[i % STYLES], dashes[i % STYLES], x, y, x + 34, y + 4);
		write_name(o, p->series[i].name);
		output_text(o, "</text>\n");
	}
}

void svg_begin(struct output *o, const char *title, const char *description, int height)
{
	output_printf(o,
		      "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%d\" "
		      "height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">\n",
		      SVG_WIDTH, height, SVG_WIDTH, height);
	write_element(o, "title", title);
	write_element(o, "desc", description);
	output_text(o, "<style>text{font:12px sans-serif;fill:#222}.grid{stroke:#ddd}"
		       ".line{fill:none;stroke-width:1.5}.frame{fill:none;stroke:#666}</style>\n");
	output_printf(o,
		      "<rect fill=\"#fff\" width=\"%d\" height=\"%d\"/>\n<text x=\"%d\" y=\"20\">",
		      SVG_WIDTH, height, LEFT);
	markup_text(o, title);
	output_text(o, "</text>\n");
}

void svg_write(struct output *o, const struct svg_plot *p)
{
	const struct svg_frame frame = frame_of(p);
	svg_begin(o, p->title, p->description, HEIGHT);
	svg_x_axis(o, &frame);
	svg_y_axis(o, &frame);
	output_printf(o, "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n",
		      LEFT, TOP, PLOT_WIDTH, PLOT_HEIGHT);
	for (size_t i = 0; i < p->count; i++)
		write_series(o, p, i);
	if (p->count > 1)
		write_legend(o, p);
	output_text(o, "</svg>\n");
}
