/* SPDX-License-Identifier: BSD-2-Clause */
#include "svg_axis.h"

#include <math.h>
#include <stdio.h>

#include "markup.h"

enum {
	TICKS_MAX = 64,
	X_TICK_SPACE = 56, /* between the labels of the x axis, which may have units */
	X_NUMBER_SPACE = 44,
	Y_TICK_SPACE = 40,
	LINE = 20, /* height of a label */
	PARTS_MIN = 4,
	X_TICK_GAP = 16, /* from the frame to the text */
	X_LABEL_GAP = 38,
	Y_TICK_GAP = 6,
	Y_LABEL_GAP = 50,
	HALF_DIGIT = 4, /* half the height of a digit */
};

static double axis_share(const struct svg_axis *a, double value)
{
	double share;
	if (a->scale == SVG_LINEAR)
		share = (value - a->min) / (a->max - a->min);
	else
		share = log(value > a->min ? value / a->min : 1) / log(a->max / a->min);
	return share < 0 ? 0 : share > 1 ? 1 : share;
}

double svg_x(const struct svg_frame *f, double value)
{
	return f->left + f->width * axis_share(&f->x, value);
}

static double y_of(const struct svg_frame *f, const struct svg_axis *y, double value)
{
	return f->top + f->height * (1 - axis_share(y, value));
}

double svg_y(const struct svg_frame *f, double value)
{
	return y_of(f, &f->y, value);
}

static void format_bytes(char text[SVG_LABEL], double bytes)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	unsigned unit = 0;
	for (; bytes >= 1024 && unit < 6; unit++)
		bytes /= 1024;
	snprintf(text, SVG_LABEL, "%.4g %s", bytes, units[unit]);
}

static void format_seconds(char text[SVG_LABEL], double s)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	unsigned unit = 0;
	for (s *= 1e9; s >= 999.5 && unit < 3; unit++)
		s /= 1000;
	snprintf(text, SVG_LABEL, "%.3g %s", s, units[unit]);
}

/* With the prefix of a thousand, a million, ... */
static void format_number(char text[SVG_LABEL], double value)
{
	static const char *const prefixes[] = {"", " k", " M", " G", " T", " P", " E"};
	unsigned prefix = 0;
	for (; fabs(value) >= (prefix == 0 ? 10000 : 1000) && prefix < 6; prefix++)
		value /= 1000;
	snprintf(text, SVG_LABEL, "%.6g%s", value, prefixes[prefix]);
}

const char *svg_tick(const struct svg_axis *a, char text[SVG_LABEL], double value)
{
	if (a->scale == SVG_BYTES)
		format_bytes(text, value);
	else if (a->scale == SVG_SECONDS)
		format_seconds(text, value);
	else if (a->scale == SVG_LOG)
		format_number(text, value);
	else
		snprintf(text, SVG_LABEL, "%.6g", value);
	return text;
}

/* Only linear axes have a unit. */
static const char *tick_text(const struct svg_axis *a, double unit, char text[SVG_LABEL],
			     double value)
{
	return svg_tick(a, text, unit > 0 && a->scale == SVG_LINEAR ? value / unit : value);
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

/* A span of less than three decades has ticks at 2 and 5, too, if there is space for `labels`. */
static unsigned decade_ticks(const struct svg_axis *a, unsigned parts, unsigned labels,
			     double *tick)
{
	static const double factors[] = {1, 2, 5};
	unsigned n = 0;
	const double decades = log10(a->max / a->min);
	if (decades >= 3 || (decades > 1 && 3 * decades > labels))
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

static unsigned axis_ticks(const struct svg_axis *a, int size, int space, double tick[TICKS_MAX])
{
	const unsigned parts = size > PARTS_MIN * space ? (unsigned)(size / space) : PARTS_MIN;
	switch (a->scale) {
	case SVG_LINEAR:
		return linear_ticks(a, parts, tick);
	case SVG_LOG:
	case SVG_SECONDS:
		return decade_ticks(a, parts,
				    (unsigned)(size / (space < X_TICK_SPACE ? LINE : space)), tick);
	case SVG_BYTES:
		return power_ticks(a, 2, parts, tick);
	}
	return 0;
}

void svg_x_axis(struct output *o, const struct svg_frame *f)
{
	double tick[TICKS_MAX];
	const unsigned n = axis_ticks(
	    &f->x, f->width, f->x.scale == SVG_LINEAR ? X_NUMBER_SPACE : X_TICK_SPACE, tick);
	char label[SVG_LABEL];
	for (unsigned i = 0; i < n; i++) {
		const double x = svg_x(f, tick[i]);
		output_printf(
		    o, "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>\n", x,
		    f->top, x, f->top + f->height);
		output_printf(o, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", x,
			      f->top + f->height + X_TICK_GAP,
			      tick_text(&f->x, f->x_unit, label, tick[i]));
	}
	if (f->x.label == NULL)
		return;
	output_printf(o, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">", f->left + f->width / 2,
		      f->top + f->height + X_LABEL_GAP);
	markup_text(o, f->x.label);
	output_text(o, "</text>\n");
}

/* Writes the label of a y axis, upwards. */
static void write_y_label(struct output *o, const struct svg_frame *f, const char *label, int x)
{
	if (label == NULL)
		return;
	output_printf(o, "<text transform=\"translate(%d %d) rotate(-90)\" text-anchor=\"middle\">",
		      x, f->top + f->height / 2);
	markup_text(o, label);
	output_text(o, "</text>\n");
}

void svg_y_axis(struct output *o, const struct svg_frame *f)
{
	double tick[TICKS_MAX];
	const unsigned n = axis_ticks(&f->y, f->height, Y_TICK_SPACE, tick);
	char label[SVG_LABEL];
	for (unsigned i = 0; i < n; i++) {
		const double y = svg_y(f, tick[i]);
		output_printf(
		    o, "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>\n",
		    f->left, y, f->left + f->width, y);
		output_printf(o, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
			      f->left - Y_TICK_GAP, y + HALF_DIGIT,
			      tick_text(&f->y, f->y_unit, label, tick[i]));
	}
	write_y_label(o, f, f->y.label, f->left - Y_LABEL_GAP);
}

void svg_right_axis(struct output *o, const struct svg_frame *f, const struct svg_axis *y)
{
	double tick[TICKS_MAX];
	const unsigned n = axis_ticks(y, f->height, Y_TICK_SPACE, tick);
	char label[SVG_LABEL];
	for (unsigned i = 0; i < n; i++)
		output_printf(o, "<text x=\"%d\" y=\"%.1f\">%s</text>\n",
			      f->left + f->width + Y_TICK_GAP, y_of(f, y, tick[i]) + HALF_DIGIT,
			      svg_tick(y, label, tick[i]));
	write_y_label(o, f, y->label, f->left + f->width + Y_LABEL_GAP);
}
