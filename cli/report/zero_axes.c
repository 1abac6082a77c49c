/* SPDX-License-Identifier: BSD-2-Clause */
#include "zero_axes.h"

#include <math.h>

enum { LANE_X = 48, LANE_Y = 32 /* space for the labels */ };

void zero_range_add(struct zero_range *r, double value)
{
	if (value > 0) {
		r->min = fmin(r->min, value);
		r->max = fmax(r->max, value);
	} else if (!isnan(value)) {
		r->has_zero = true;
	}
}

struct svg_axis zero_range_axis(const struct zero_range *r, const char *label, enum svg_scale scale)
{
	const double base = scale == SVG_BYTES ? 1024 : 10;
	const bool any = r->max > 0;
	struct svg_axis axis = {label, scale, any ? r->min : 1, any ? r->max : base};
	axis.min = pow(base, floor(log(axis.min) / log(base) + 1e-9));
	axis.max = pow(base, ceil(log(axis.max) / log(base) - 1e-9));
	if (axis.max <= axis.min)
		axis.max = base * axis.min;
	return axis;
}

struct zero_axes zero_axes_make(const struct svg_frame *frame, bool zero_x, bool zero_y)
{
	struct zero_axes a = {*frame, *frame, zero_x, zero_y};
	if (zero_x) {
		a.x.left += LANE_X;
		a.x.width -= LANE_X;
	}
	if (zero_y)
		a.y.height -= LANE_Y;
	return a;
}

double zero_axes_x(const struct zero_axes *a, double value)
{
	return a->zero_x && value <= 0 ? a->x.left - LANE_X / 2. : svg_x(&a->x, value);
}

double zero_axes_y(const struct zero_axes *a, double value)
{
	return a->zero_y && value <= 0 ? a->y.top + a->y.height + LANE_Y / 2. : svg_y(&a->y, value);
}

void zero_axes_border(struct output *o, const struct zero_axes *a)
{
	const int bottom = a->x.top + a->x.height;
	if (a->zero_x) {
		output_printf(o, "<path class=\"frame\" d=\"M%d,%dV%d\"/>\n", a->x.left, a->x.top,
			      bottom);
		canvas_text(o, a->x.left - LANE_X / 2., bottom + 16, "middle", "0");
	}
	if (a->zero_y) {
		output_printf(o, "<path class=\"frame\" d=\"M%d,%dh%d\"/>\n", a->y.left,
			      a->y.top + a->y.height, a->y.width);
		canvas_text(o, a->y.left - 6, bottom - LANE_Y / 2. + 4, "end", "0");
	}
	output_printf(o, "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n",
		      a->y.left, a->x.top, a->y.width, a->x.height);
}

void zero_axes_draw(struct output *o, const struct zero_axes *a)
{
	svg_x_axis(o, &a->x);
	svg_y_axis(o, &a->y);
	zero_axes_border(o, a);
}
