/* SPDX-License-Identifier: BSD-2-Clause */
/* The classes of the bytes of all files, and of each of those with most bytes. */
#include <stdio.h>
#include <string.h>

#include "canvas.h"
#include "file_label.h"

enum { LEFT = 224, RIGHT = 92, NAME_COLUMNS = 30 };

static const char *const marks[CLASSES] = {"f r", "f m", "f w", "f k", "f o"};

static bool has_data(const struct plot_data *d)
{
	return d->classes.count > 0;
}

/* The name of a class in its part of a bar, if it fits; some shades are similar in greyscale. */
static void write_class(struct output *o, unsigned k, double x, double y, double width)
{
	enum { LETTER = 6 };
	if (width < LETTER * (double)(strlen(class_names[k]) + 1))
		return;
	output_printf(
	    o, "<text class=\"s\"%s x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n",
	    k == 0 ? " style=\"fill:#fff\"" : "", x, y, class_names[k]);
}

static void draw_bar(struct output *o, const struct svg_frame *f, const struct class_bar *b,
		     double y, double height)
{
	const double all = class_bar_sum(b);
	double base = 0;
	char text[SVG_LABEL];
	output_printf(o, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", LEFT - 8,
		      y + height / 2 + 4);
	file_label_write(o, b->name, b->key, NAME_COLUMNS);
	output_text(o, "</text>\n");
	for (unsigned k = 0; k < CLASSES; k++) {
		const double percent = 100 * b->bytes[k] / all;
		const double x = svg_x(f, base);
		base += percent;
		if (percent <= 0)
			continue;
		canvas_rect(o, marks[k], x, y, svg_x(f, base) - x, height);
		output_printf(o, "%s: %s, %.3g %%", class_names[k],
			      canvas_si(text, b->bytes[k], "B"), percent);
		canvas_rect_end(o);
		write_class(o, k, (x + svg_x(f, base)) / 2, y + height / 2 + 4, svg_x(f, base) - x);
	}
	canvas_text(o, f->left + f->width + 8, y + height / 2 + 4, "start",
		    canvas_si(text, all, "B"));
}

static void draw(const struct plot_data *d, struct output *o)
{
	static const struct canvas_legend legend[] = {{"f r", "required"}, {"f m", "checkpoint"},
						      {"f w", "swapping"}, {"f k", "rewritten"},
						      {"f o", "unknown"},  {0}};
	const struct class_bars *c = &d->classes;
	const struct svg_frame f = {.left = LEFT,
				    .top = CANVAS_TOP,
				    .width = PLOT_WIDTH - LEFT - RIGHT,
				    .height = PLOT_HEIGHT - CANVAS_TOP - CANVAS_BOTTOM,
				    .x = {"% of the bytes", SVG_LINEAR, 0, 100}};
	const double step = (double)f.height / (1 + CLASS_FILES_MAX);
	svg_x_axis(o, &f);
	for (size_t i = 0; i < c->count; i++)
		draw_bar(o, &f, &c->bar[i], f.top + ((double)i + 0.15) * step, 0.7 * step);
	canvas_legend(o, CANVAS_LEFT, legend);
}

static void write_data(const struct plot_data *d, struct tsv *t)
{
	static const char *const names[] = {"file",
					    "required_bytes",
					    "checkpoint_bytes",
					    "swapping_bytes",
					    "rewritten_bytes",
					    "unknown_bytes",
					    NULL};
	tsv_begin(t, names);
	for (size_t i = 0; i < d->classes.count; i++) {
		const struct class_bar *b = &d->classes.bar[i];
		file_label_field(tsv_cell(t), b->name, b->key);
		for (unsigned k = 0; k < CLASSES; k++)
			tsv_whole(t, b->bytes[k]);
	}
}

const struct plot plot_class = {
    .name = "class",
    .title = "Classes of bytes",
    .description = "Share of the bytes that are required, of checkpoints, swapped, rewritten or of "
		   "unknown use: of all files, and of those with most bytes.",
    .has_data = has_data,
    .draw = draw,
    .write_data = write_data,
};
