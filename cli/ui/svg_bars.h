/* SPDX-License-Identifier: BSD-2-Clause */
/* Plots of shares as horizontal bars, in pairs, with their values. */
#ifndef CLI_UI_SVG_BARS_H
#define CLI_UI_SVG_BARS_H

#include "output.h"

enum { SVG_BARS = 2 }; /* in each row */

struct svg_bar_row {
	const char *name;
	double share[SVG_BARS]; /* from 0 to 1 */
};

struct svg_bar_plot {
	const char *title, *description;
	const char *of[SVG_BARS]; /* the whole of each share, for the legend */
	const struct svg_bar_row *row;
	size_t count;
};

void svg_bars_write(struct output *o, const struct svg_bar_plot *p);

#endif
