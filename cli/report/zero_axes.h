/* SPDX-License-Identifier: BSD-2-Clause */
/* A pair of axes; a logarithmic one has a lane of its own for 0. */
#ifndef CLI_REPORT_ZERO_AXES_H
#define CLI_REPORT_ZERO_AXES_H

#include "canvas.h"

struct zero_axes {
	struct svg_frame x, y; /* of each axis, without its lane */
	bool zero_x, zero_y;   /* there is a lane */
};

/* The smallest decades that contain all positive values of an axis. */
struct zero_range {
	double min, max; /* of the positive values */
	bool has_zero;
};
#define ZERO_RANGE ((struct zero_range){.min = INFINITY})

void zero_range_add(struct zero_range *r, double value);
struct svg_axis zero_range_axis(const struct zero_range *r, const char *label,
				enum svg_scale scale);

/* frame: of both axes, with their lanes. */
struct zero_axes zero_axes_make(const struct svg_frame *frame, bool zero_x, bool zero_y);
double zero_axes_x(const struct zero_axes *a, double value);
double zero_axes_y(const struct zero_axes *a, double value);
/* Lanes, and a border. */
void zero_axes_border(struct output *o, const struct zero_axes *a);
/* The same, and both axes. */
void zero_axes_draw(struct output *o, const struct zero_axes *a);

#endif
