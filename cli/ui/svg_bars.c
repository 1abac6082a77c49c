/* SPDX-License-Identifier: BSD-2-Clause */
#include "svg_bars.h"

#include <string.h>

#include "markup.h"
#include "svg.h"

enum {
	LEFT = 190, /* names are there */
	RIGHT = 70, /* the value of the longest bar is there */
	TOP = 52,
	ROW = 34,
	BAR = 12,
	TEXT_DOWN = 10, /* from the upper edge of a bar to the line of its text */
	LEGEND_Y = 32,
	LEGEND_STEP = 90,
	NAME_COLUMNS = 26,
};

/* Dark and light, so they differ in greyscale. */
static const char *const colours[SVG_BARS] = {"#0072B2", "#E69F00"};

static double largest(const struct svg_bar_plot *p)
{
	double max = 0;
	for (size_t i = 0; i < p->count; i++)
		for (size_t k = 0; k < SVG_BARS; k++)
			max = p->row[i].share[k] > max ? p->row[i].share[k] : max;
	return max > 0 ? max : 1;
}

static void write_bar(struct output *o, double y, double width, double share, const char *colour)
{
	output_printf(o,
		      "<rect fill=\"%s\" x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>\n"
		      "<text x=\"%.1f\" y=\"%.1f\">%.1f %%</text>\n",
		      colour, LEFT, y, width, BAR, LEFT + width + 6, y + TEXT_DOWN, 100 * share);
}

static void write_row(struct output *o, const struct svg_bar_row *row, double y, double per_share)
{
	output_text(o, "<g><title>");
	markup_text(o, row->name);
	output_printf(o, "</title>\n<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", LEFT - 8,
		      y + BAR + TEXT_DOWN / 2.0);
	markup_shortened(o, row->name, strlen(row->name), NAME_COLUMNS);
	output_text(o, "</text>\n");
	for (size_t k = 0; k < SVG_BARS; k++)
		write_bar(o, y + BAR * (double)k, per_share * row->share[k], row->share[k],
			  colours[k]);
	output_text(o, "</g>\n");
}

static void write_legend(struct output *o, const struct svg_bar_plot *p)
{
	for (int k = 0; k < SVG_BARS; k++) {
		const int x = LEFT + LEGEND_STEP * k;
		output_printf(o,
			      "<rect fill=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n"
			      "<text x=\"%d\" y=\"%d\">",
			      colours[k], x, LEGEND_Y, BAR, BAR, x + BAR + 6, LEGEND_Y + TEXT_DOWN);
		markup_text(o, p->of[k]);
		output_text(o, "</text>\n");
	}
}

void svg_bars_write(struct output *o, const struct svg_bar_plot *p)
{
	const double per_share = (SVG_WIDTH - LEFT - RIGHT) / largest(p);
	svg_begin(o, p->title, p->description, TOP + ROW * (int)p->count);
	write_legend(o, p);
	for (size_t i = 0; i < p->count; i++)
		write_row(o, &p->row[i], TOP + ROW * (double)i, per_share);
	output_text(o, "</svg>\n");
}
