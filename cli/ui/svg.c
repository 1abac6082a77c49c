/* SPDX-License-Identifier: BSD-2-Clause */
#include "svg.h"

#include <math.h>
#include <stdio.h>

enum {
	WIDTH = 720,
	HEIGHT = 320,
	LEFT = 64,
	RIGHT = 150, /* the legend is there */
	TOP = 32,
	BOTTOM = 48,
	PLOT_WIDTH = WIDTH - LEFT - RIGHT,
	PLOT_HEIGHT = HEIGHT - TOP - BOTTOM,
	LEGEND_STEP = 18,
	LEGEND_MAX = (PLOT_HEIGHT / LEGEND_STEP),
	TICKS_MAX = 64,
	TICK_SPACE = 56, /* between the labels of the x axis */
	MARKS_MAX = 100, /* points of a line that has marks */
	LABEL_CAPACITY = 32,
};

/* Okabe and Ito's colours, dark enough for thin lines. */
static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#555555",
				      "#CC79A7", "#E69F00", "#000000", "#56B4E9"};
static const char *const dashes[] = {"", "6 3", "2 2", "8 3 2 3", "12 4", "4 4", "1 3", "10 2 2 2"};
enum { STYLES = sizeof colours / sizeof colours[0] };

/* Text */

static void write_escaped(struct output *o, const char *text)
{
	for (; *text != '\0'; text++)
		switch (*text) {
		case '&':
			output_text(o, "&amp;");
			break;
		case '<':
			output_text(o, "&lt;");
			break;
		case '>':
			output_text(o, "&gt;");
			break;
		case '"':
			output_text(o, "&quot;");
			break;
		default:
			output_write(o, (unsigned char)*text < 0x20 ? " " : text, 1);
			break;
		}
}

static void write_element(struct output *o, const char *name, const char *text)
{
	output_printf(o, "<%s>", name);
	write_escaped(o, text);
	output_printf(o, "</%s>\n", name);
}

/* Axes */

static double axis_share(const struct svg_axis *a, double value)
{
	double share;
	if (a->scale == SVG_LINEAR)
		share = (value - a->min) / (a->max - a->min);
	else
		share = log(value > a->min ? value / a->min : 1) / log(a->max / a->min);
	return share < 0 ? 0 : share > 1 ? 1 : share;
}

static double x_of(const struct svg_plot *p, double value)
{
	return LEFT + PLOT_WIDTH * axis_share(&p->x, value);
}

static double y_of(const struct svg_plot *p, double value)
{
	return TOP + PLOT_HEIGHT * (1 - axis_share(&p->y, value));
}

static void format_bytes(char text[LABEL_CAPACITY], double bytes)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	unsigned unit = 0;
	for (; bytes >= 1024 && unit < 6; unit++)
		bytes /= 1024;
	snprintf(text, LABEL_CAPACITY, "%.4g %s", bytes, units[unit]);
}

static void format_tick(const struct svg_axis *a, char text[LABEL_CAPACITY], double value)
{
	if (a->scale == SVG_BYTES)
		format_bytes(text, value);
	else
		snprintf(text, LABEL_CAPACITY, "%.6g", value);
}

/* The smallest of 1, 2 and 5 times powers of 10 that divides the span into at most `parts`. */
static double linear_step(double span, unsigned parts)
{
	static const double factors[] = {1, 2, 5, 10};
	const double power = pow(10, floor(log10(span / parts)));
	unsigned i = 0;
	while (i < 3 && factors[i] * power * parts < span * (1 - 1e-9))
		i++;
	return factors[i] * power;
}

static unsigned linear_ticks(const struct svg_axis *a, unsigned parts, double *tick)
{
	const double step = linear_step(a->max - a->min, parts);
	const double first = ceil(a->min / step - 1e-9);
	unsigned n = 0;
	while (n < TICKS_MAX && (first + n) * step <= a->max + step * 1e-9) {
		tick[n] = (first + n) * step;
		n++;
	}
	return n;
}

/* Powers of `base`, every so often that at most `parts` result. */
static unsigned power_ticks(const struct svg_axis *a, double base, unsigned parts, double *tick)
{
	const double first = ceil(log(a->min) / log(base) - 1e-9),
		     last = floor(log(a->max) / log(base) + 1e-9);
	const double every = fmax(1, ceil((last - first + 1) / parts));
	unsigned n = 0;
	while (n < TICKS_MAX && first + n * every <= last) {
		tick[n] = pow(base, first + n * every);
		n++;
	}
	return n;
}

/* A span of less than three decades has ticks at 2 and 5, too. */
static unsigned decade_ticks(const struct svg_axis *a, unsigned parts, double *tick)
{
	static const double factors[] = {1, 2, 5};
	unsigned n = 0;
	if (a->max / a->min >= 1000)
		return power_ticks(a, 10, parts, tick);
	const int first = (int)floor(log10(a->min)), last = (int)floor(log10(a->max));
	for (int exponent = first; exponent <= last && n + 3 < TICKS_MAX; exponent++)
		for (unsigned i = 0; i < 3; i++) {
			const double at = factors[i] * pow(10, exponent);
			if (at >= a->min * (1 - 1e-9) && at <= a->max * (1 + 1e-9))
				tick[n++] = at;
		}
	return n;
}

static unsigned axis_ticks(const struct svg_axis *a, unsigned parts, double tick[TICKS_MAX])
{
	switch (a->scale) {
	case SVG_LINEAR:
		return linear_ticks(a, parts, tick);
	case SVG_LOG:
		return decade_ticks(a, parts, tick);
	case SVG_BYTES:
		return power_ticks(a, 2, parts, tick);
	}
	return 0;
}

static void write_x_axis(struct output *o, const struct svg_plot *p)
{
	double tick[TICKS_MAX];
	const unsigned n = axis_ticks(&p->x, PLOT_WIDTH / TICK_SPACE, tick);
	char label[LABEL_CAPACITY];
	for (unsigned i = 0; i < n; i++) {
		const double x = x_of(p, tick[i]);
		format_tick(&p->x, label, tick[i]);
		output_printf(
		    o, "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>\n", x,
		    TOP, x, TOP + PLOT_HEIGHT);
		output_printf(o, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", x,
			      TOP + PLOT_HEIGHT + 16, label);
	}
	output_printf(o, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">", LEFT + PLOT_WIDTH / 2,
		      HEIGHT - 10);
	write_escaped(o, p->x.label);
	output_text(o, "</text>\n");
}

static void write_y_axis(struct output *o, const struct svg_plot *p)
{
	double tick[TICKS_MAX];
	const unsigned n = axis_ticks(&p->y, 6, tick);
	char label[LABEL_CAPACITY];
	for (unsigned i = 0; i < n; i++) {
		const double y = y_of(p, tick[i]);
		format_tick(&p->y, label, tick[i]);
		output_printf(
		    o, "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>\n", LEFT,
		    y, LEFT + PLOT_WIDTH, y);
		output_printf(o, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
			      LEFT - 6, y + 4, label);
	}
	output_printf(o, "<text transform=\"translate(14 %d) rotate(-90)\" text-anchor=\"middle\">",
		      TOP + PLOT_HEIGHT / 2);
	write_escaped(o, p->y.label);
	output_text(o, "</text>\n");
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

static void write_band(struct output *o, const struct svg_plot *p, const struct svg_series *s,
		       const char *colour)
{
	output_printf(o, "<polygon fill=\"%s\" fill-opacity=\"0.2\" stroke=\"none\" points=\"",
		      colour);
	for (size_t i = 0; i < s->count; i++)
		if (is_shown(s, i))
			output_printf(o, "%.1f,%.1f ", x_of(p, s->x[i]), y_of(p, s->low[i]));
	for (size_t i = s->count; i-- > 0;)
		if (is_shown(s, i))
			output_printf(o, "%.1f,%.1f ", x_of(p, s->x[i]), y_of(p, s->high[i]));
	output_text(o, "\"/>\n");
}

static void write_path(struct output *o, const struct svg_plot *p, const struct svg_series *s)
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
		const double x = x_of(p, s->x[i]), y = y_of(p, s->y[i]);
		if (draws && s->steps)
			output_printf(o, "L%.1f,%.1f", x, before);
		output_printf(o, "%c%.1f,%.1f", draws ? 'L' : 'M', x, y);
		draws = true;
		before = y;
	}
}

/* A mark for each point, whose tooltip has the values. */
static void write_marks(struct output *o, const struct svg_plot *p, const struct svg_series *s,
			const char *colour)
{
	char x[LABEL_CAPACITY], y[LABEL_CAPACITY];
	for (size_t i = 0; i < s->count; i++) {
		if (isnan(s->y[i]))
			continue;
		format_tick(&p->x, x, s->x[i]);
		format_tick(&p->y, y, s->y[i]);
		output_printf(o, "<circle fill=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\"><title>",
			      colour, x_of(p, s->x[i]), y_of(p, s->y[i]));
		write_escaped(o, s->name);
		output_printf(o, ": %s, %s</title></circle>\n", x, y);
	}
}

static void write_series(struct output *o, const struct svg_plot *p, size_t i)
{
	const struct svg_series *s = &p->series[i];
	const char *colour = colours[i % STYLES];
	output_text(o, "<g>\n");
	write_element(o, "title", s->name);
	if (s->low != NULL && s->count > 0)
		write_band(o, p, s, colour);
	output_printf(o, "<path class=\"line\" stroke=\"%s\" stroke-dasharray=\"%s\" d=\"", colour,
		      dashes[i % STYLES]);
	write_path(o, p, s);
	output_text(o, "\"/>\n");
	if (s->count <= MARKS_MAX)
		write_marks(o, p, s, colour);
	output_text(o, "</g>\n");
}

static void write_legend(struct output *o, const struct svg_plot *p)
{
	for (size_t i = 0; i < p->count && i < LEGEND_MAX; i++) {
		const int x = LEFT + PLOT_WIDTH + 12, y = TOP + 8 + LEGEND_STEP * (int)i;
		output_printf(o,
			      "<path class=\"line\" stroke=\"%s\" stroke-dasharray=\"%s\" "
			      "d=\"M%d,%dh28\"/>\n<text x=\"%d\" y=\"%d\">",
			      colours[i % STYLES], dashes[i % STYLES], x, y, x + 34, y + 4);
		write_escaped(o, p->series[i].name);
		output_text(o, "</text>\n");
	}
}

void svg_write(struct output *o, const struct svg_plot *p)
{
	output_printf(o,
		      "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%d\" "
		      "height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">\n",
		      WIDTH, HEIGHT, WIDTH, HEIGHT);
	write_element(o, "title", p->title);
	write_element(o, "desc", p->description);
	output_text(o, "<style>text{font:12px sans-serif;fill:#222}.grid{stroke:#ddd}"
		       ".line{fill:none;stroke-width:1.5}.frame{fill:none;stroke:#666}</style>\n");
	output_printf(o,
		      "<rect fill=\"#fff\" width=\"%d\" height=\"%d\"/>\n<text x=\"%d\" y=\"20\">",
		      WIDTH, HEIGHT, LEFT);
	write_escaped(o, p->title);
	output_text(o, "</text>\n");
	write_x_axis(o, p);
	write_y_axis(o, p);
	output_printf(o, "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n",
		      LEFT, TOP, PLOT_WIDTH, PLOT_HEIGHT);
	for (size_t i = 0; i < p->count; i++)
		write_series(o, p, i);
	if (p->count > 1)
		write_legend(o, p);
	output_text(o, "</svg>\n");
}
