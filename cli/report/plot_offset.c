/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The offsets of the requests of a file over time, as colours: a row of panes for each of the files
 * with most bytes, reads on the left and writes on the right. Cells of a colour are one path.
 */
#include <math.h>
#include <stdio.h>

#include "canvas.h"
#include "file_label.h"
#include "shades.h"

enum {
	LEFT = CANVAS_LEFT,
	RIGHT = 80,
	TOP = 70,
	NAME_HEIGHT = 18, /* above each row */
	GAP = 16,         /* below each row, and between panes */
	KEY_X = PLOT_WIDTH - 60,
	NAME_COLUMNS = 80
};

static bool has_data(const struct plot_data *d)
{
	return d->offsets.count > 0 && d->offsets.max > 0;
}

/* Requests of a file are sparse: dark marks show on white. */
static struct shades shades_for(const struct offset_files *all)
{
	return (struct shades){.min = all->min, .max = all->max};
}

static int pane_height(const struct offset_files *all)
{
	return all->count == 1 ? 200 : all->count == 2 ? 140 : 110;
}

static int height_of(const struct plot_data *d)
{
	const int rows = (int)d->offsets.count;
	return TOP + rows * (NAME_HEIGHT + pane_height(&d->offsets)) + (rows - 1) * GAP +
	       CANVAS_BOTTOM;
}

/* Runs of blocks of a shade, one above the other, in units of cells. */
static size_t write_shade(struct output *o, const struct offset_file *f,
			  const struct shades *shades, unsigned direction, unsigned shade)
{
	const struct iot_analyze_offset_cell *c = f->map.cells;
	size_t runs = 0;
	for (size_t i = 0; i < f->map.count;) {
		size_t end = i;
		while (end < f->map.count && c[end].bin == c[i].bin &&
		       c[end].block - c[i].block == end - i &&
		       offset_file_share(f, &c[end], direction) > 0 &&
		       shades_of(shades, offset_file_share(f, &c[end], direction)) == shade)
			end++;
		if (end > i) {
			if (runs++ == 0)
				shades_begin_path(o, shade);
			output_printf(o, "M%u %uh1v%zuh-1z", c[i].bin,
				      f->blocks - c[end - 1].block - 1, end - i);
		}
		i = end > i ? end : i + 1;
	}
	return runs;
}

static void draw_cells(struct output *o, const struct svg_frame *f, const struct offset_file *file,
		       const struct shades *shades, unsigned direction)
{
	const double begin = svg_x(f, file->map.begin_s),
		     end = svg_x(f, file->map.begin_s + (double)file->map.bins * file->map.width_s);
	output_printf(o,
		      "<g shape-rendering=\"crispEdges\" transform=\"translate(%.6g %d) "
		      "scale(%.6g %.6g)\">\n",
		      begin, f->top, (end - begin) / (double)file->map.bins,
		      (double)f->height / (double)file->blocks);
	for (unsigned shade = 0; shade < SHADES; shade++)
		if (write_shade(o, file, shades, direction, shade) > 0)
			output_printf(o, "\"><title>%.3g to %.3g blocks</title></path>\n",
				      shades_value(shades, shade), shades_value(shades, shade + 1));
	output_text(o, "</g>\n");
}

/* An axis of offsets, in a unit of a power of 1024. */
static struct svg_axis offset_axis(const struct offset_file *f, const char *label, double *unit)
{
	static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	double max = (double)f->blocks * (double)f->map.block_bytes;
	unsigned i = 0;
	for (*unit = 1; max >= 2048 && i < 6; i++) {
		max /= 1024;
		*unit *= 1024;
	}
	return (struct svg_axis){label != NULL ? label : units[i], SVG_LINEAR, 0, max};
}

static void draw_pane(struct output *o, const struct offset_files *all, size_t row,
		      unsigned direction, struct svg_frame *f)
{
	const struct offset_file *file = &all->file[row];
	const struct shades shades = shades_for(all);
	const bool first = direction == 0 || !all->has[0];
	double unit;
	canvas_set_time(f, file->map.begin_s,
			file->map.begin_s + (double)file->map.bins * file->map.width_s);
	if (row + 1 < all->count)
		f->x.label = NULL;
	f->y = offset_axis(file, NULL, &unit);
	if (file->has[direction])
		output_printf(
		    o, "<rect fill=\"#fff\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n",
		    f->left, f->top, f->width, f->height);
	if (row + 1 == all->count)
		svg_x_axis(o, f);
	if (first)
		svg_y_axis(o, f);
	if (file->has[direction])
		draw_cells(o, f, file, &shades, direction);
	else
		canvas_small(o, f->left + f->width / 2., f->top + f->height / 2., "middle",
			     direction == 0 ? "no reads" : "no writes");
	output_printf(o, "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n",
		      f->left, f->top, f->width, f->height);
}

static void draw_row(struct output *o, const struct offset_files *all, size_t row)
{
	static const char *const names[2] = {"reads", "writes"};
	const unsigned panes = (unsigned)all->has[0] + (unsigned)all->has[1];
	const int height = pane_height(all), width = PLOT_WIDTH - LEFT - RIGHT,
		  top = TOP + (int)row * (NAME_HEIGHT + height + GAP) + NAME_HEIGHT,
		  pane = panes == 2 ? (width - GAP) / 2 : width;
	int x = LEFT;
	output_printf(o, "<text x=\"%d\" y=\"%d\">", LEFT, top - 6);
	file_label_write(o, all->file[row].map.path, all->file[row].key, NAME_COLUMNS);
	output_text(o, "</text>\n");
	for (unsigned k = 0; k < 2; k++) {
		struct svg_frame f = {.left = x, .top = top, .width = pane, .height = height};
		if (!all->has[k])
			continue;
		if (row == 0)
			canvas_text(o, x + pane, TOP - 10, "end", names[k]);
		draw_pane(o, all, row, k, &f);
		x += pane + GAP;
	}
}

static void draw(const struct plot_data *d, struct output *o)
{
	const struct offset_files *all = &d->offsets;
	const struct shades shades = shades_for(all);
	char text[128], low[SVG_LABEL], high[SVG_LABEL];
	for (size_t i = 0; i < all->count; i++)
		draw_row(o, all, i);
	snprintf(low, sizeof low, "%.3g", shades_are_log(&shades) ? all->min : 0);
	snprintf(high, sizeof high, "%.3g", all->max);
	shades_write_key(o, &shades, KEY_X, TOP + NAME_HEIGHT,
			 height_of(d) - TOP - NAME_HEIGHT - CANVAS_BOTTOM, low, high);
	snprintf(text, sizeof text,
		 "share of a block that is transferred; columns of %s; white: none%s",
		 canvas_seconds(low, all->file[0].map.width_s),
		 all->file[0].map.sampled ? "; of a sample of the files" : "");
	canvas_text(o, LEFT, 36, "start", text);
}

static void write_data(const struct plot_data *d, struct tsv *t)
{
	static const char *const names[] = {"file",       "begin_s",       "offset", "block_bytes",
					    "read_bytes", "written_bytes", NULL};
	tsv_begin(t, names);
	for (size_t i = 0; i < d->offsets.count; i++) {
		const struct offset_file *f = &d->offsets.file[i];
		for (size_t k = 0; k < f->map.count; k++) {
			const struct iot_analyze_offset_cell *c = &f->map.cells[k];
			file_label_field(tsv_cell(t), f->map.path, f->key);
			tsv_real(t, f->map.begin_s + (double)c->bin * f->map.width_s);
			tsv_number(t, c->block * f->map.block_bytes);
			tsv_number(t, f->map.block_bytes);
			tsv_number(t, c->bytes[0]);
			tsv_number(t, c->bytes[1]);
		}
	}
}

const struct plot plot_offset = {
    .name = "offset",
    .title = "Offsets over time in the files with most bytes",
    .description =
	"The bytes that are read and written at each offset of a file over time, as colours from "
	"light (few) to dark (many): each row is a file, each pane a direction.",
    .height_of = height_of,
    .has_data = has_data,
    .draw = draw,
    .write_data = write_data,
};
