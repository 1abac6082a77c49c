/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements that several plots draw. Classes are defined by plot_style. */
#ifndef CLI_REPORT_CANVAS_H
#define CLI_REPORT_CANVAS_H

#include "cli/ui/svg_axis.h"

#include "plot.h"

enum { CANVAS_LEFT = 72, CANVAS_TOP = 52, CANVAS_BOTTOM = 48, CANVAS_RIGHT = 24 };

/* The area of a plot with one pair of axes. */
#define CANVAS_FRAME                                                                               \
	.left = CANVAS_LEFT, .top = CANVAS_TOP, .width = PLOT_WIDTH - CANVAS_LEFT - CANVAS_RIGHT,  \
	.height = PLOT_HEIGHT - CANVAS_TOP - CANVAS_BOTTOM

struct canvas_legend {
	const char *mark; /* classes of the mark; a line if it has class l */
	const char *text; /* NULL: no more */
};

/* In one row below the title, beginning at x. */
void canvas_legend(struct output *o, int x, const struct canvas_legend *items);
/* Axes, and a border. */
void canvas_axes(struct output *o, const struct svg_frame *f);
void canvas_text(struct output *o, double x, double y, const char *anchor, const char *text);
/* The same in smaller letters. */
void canvas_small(struct output *o, double x, double y, const char *anchor, const char *text);
/* A rectangle with a tooltip that the caller writes, followed by canvas_tip_end. */
void canvas_rect(struct output *o, const char *mark, double x, double y, double width,
		 double height);
void canvas_rect_end(struct output *o);
/* A circle with a tooltip in the same way. */
void canvas_dot(struct output *o, const char *mark, double x, double y, double radius);
void canvas_dot_end(struct output *o);
/* A value with its SI prefix: "12.3 MB/s"; returns text. */
const char *canvas_si(char text[SVG_LABEL], double value, const char *unit);
/* A time: "488 us"; returns text. */
const char *canvas_seconds(char text[SVG_LABEL], double s);
/*
 * A step line over the columns, of the means, and if these have several bins, a band to the
 * extremes.
 */
void canvas_steps(struct output *o, const struct svg_frame *f, const struct columns *c,
		  enum column_kind kind, double scale, const char *mark);
/* The area between two such lines; low COLUMN_KINDS: from 0. high is added to low. */
void canvas_area(struct output *o, const struct svg_frame *f, const struct columns *c,
		 enum column_kind low, enum column_kind high, double scale, const char *mark);
void canvas_band(struct output *o, const struct svg_frame *f, const struct columns *c,
		 enum column_kind kind, double scale, const char *mark);
/* An axis from 0 to a maximum, which may be 0. */
struct svg_axis canvas_axis_to(double max, const char *label);
/* Set an axis: of time, in s, ms or us; up to a maximum, with labels in 1, k, M, G or T. */
struct canvas_labels {
	const char *of[5];
};
void canvas_set_time(struct svg_frame *f, double begin_s, double end_s);
void canvas_set_max(struct svg_frame *f, double max, const struct canvas_labels *labels);
extern const struct canvas_labels canvas_bytes, canvas_byte_rates, canvas_numbers;

#endif
