/* SPDX-License-Identifier: BSD-2-Clause */
/* Axes of plots: scales, ticks with their labels, and a grid, in a rectangle of an SVG. */
#ifndef CLI_UI_SVG_AXIS_H
#define CLI_UI_SVG_AXIS_H

#include "output.h"

enum svg_scale {
	SVG_LINEAR,  /* ticks at 1, 2 and 5 times powers of 10 */
	SVG_LOG,     /* ticks at powers of 10, or at 1, 2 and 5 times these; min > 0 */
	SVG_BYTES,   /* logarithmic, with ticks at powers of 2 in KiB, MiB, ...; min > 0 */
	SVG_SECONDS, /* as SVG_LOG, with ticks in ns, us, ms and s */
};

struct svg_axis {
	const char *label; /* with its unit; NULL: none */
	enum svg_scale scale;
	double min, max; /* min < max */
};

struct svg_frame {
	int left, top, width, height; /* of the rectangle */
	struct svg_axis x, y;
	double x_unit, y_unit; /* of ticks at SVG_LINEAR, powers of 10; 0: 1 */
};

enum { SVG_LABEL = 32 };

/* Positions of values; those outside of an axis are moved to its end. */
double svg_x(const struct svg_frame *f, double value);
double svg_y(const struct svg_frame *f, double value);
/* Grid, ticks and label; the axis on the right has no grid, and y is not the frame's. */
void svg_x_axis(struct output *o, const struct svg_frame *f);
void svg_y_axis(struct output *o, const struct svg_frame *f);
void svg_right_axis(struct output *o, const struct svg_frame *f, const struct svg_axis *y);
/* A value as at a tick of unit 1; returns text. */
const char *svg_tick(const struct svg_axis *a, char text[SVG_LABEL], double value);

#endif
