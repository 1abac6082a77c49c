/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plots of lines as SVG 1.1, without scripts, legible in greyscale: lines differ in colour and in
 * dashes. The same plot is always the same bytes.
 */
#ifndef CLI_UI_SVG_H
#define CLI_UI_SVG_H

#include "svg_axis.h"

/* Points outside of the axes are moved to their ends. A NaN in y interrupts the line. */
struct svg_series {
	const char *name;
	const double *x, *y;
	const double *low, *high; /* a band around the line; NULL: none */
	size_t count;
	bool steps; /* y holds up to the next x */
};

struct svg_plot {
	const char *title, *description;
	struct svg_axis x, y;
	const struct svg_series *series;
	size_t count;
};

enum { SVG_WIDTH = 720 };
enum { SVG_POINTS_MAX = 2000 }; /* of a line; of longer ones some points are left out */

/* Begins a plot, of SVG_WIDTH, with its title. The caller ends it with "</svg>". */
void svg_begin(struct output *o, const char *title, const char *description, int height);
void svg_write(struct output *o, const struct svg_plot *p);

#endif
