/* SPDX-License-Identifier: BSD-2-Clause */
/* Points counted in hexagons, whose colours show the numbers. */
#ifndef CLI_REPORT_HEXAGONS_H
#define CLI_REPORT_HEXAGONS_H

#include "cli/ui/output.h"

struct hexagon {
	int q, r; /* column and row; odd rows are shifted by half a hexagon */
	size_t count;
};

struct hexagons {
	struct hexagon *of; /* those with points */
	size_t count, max;  /* max: of the points of one */
};

struct hexagon_point {
	double x, y;
};

/* Returns false if out of memory. */
bool hexagons_make(struct hexagons *h, const struct hexagon_point *points, size_t n);
void hexagons_free(struct hexagons *h);
/* With a key at x, from top to top + height. */
void hexagons_draw(struct output *o, const struct hexagons *h, int key_x, int top, int height);

#endif
