/* SPDX-License-Identifier: BSD-2-Clause */
#include "shades.h"

#include <math.h>

#include "canvas.h"

enum {
	LOG_FROM = 100, /* max / min beyond which the scale is logarithmic */
	KEY_WIDTH = 12,
	KEY_MARGIN = 20
};

/* 17 equidistant colours of cividis (Nunez, Anderton and Renslow). */
static const unsigned char cividis[][3] = {
    {0x00, 0x22, 0x4e}, {0x00, 0x2e, 0x6a}, {0x1a, 0x38, 0x6f}, {0x32, 0x43, 0x6d},
    {0x43, 0x4e, 0x6c}, {0x53, 0x5a, 0x6d}, {0x61, 0x65, 0x6f}, {0x6f, 0x70, 0x73},
    {0x7d, 0x7c, 0x78}, {0x8c, 0x88, 0x78}, {0x9b, 0x94, 0x76}, {0xab, 0xa0, 0x72},
    {0xbc, 0xae, 0x6c}, {0xcd, 0xbb, 0x63}, {0xde, 0xc9, 0x58}, {0xf0, 0xd8, 0x46},
    {0xfe, 0xe8, 0x38}};

void shades_write(struct output *o, unsigned shade)
{
	const double at = 16. * (SHADES - 1 - shade) / (SHADES - 1);
	const unsigned i = at >= 16 ? 15 : (unsigned)at;
	const double share = at - i;
	output_text(o, "#");
	for (unsigned k = 0; k < 3; k++)
		output_printf(
		    o, "%02x",
		    (unsigned)(cividis[i][k] * (1 - share) + cividis[i + 1][k] * share + 0.5));
}

void shades_begin_path(struct output *o, unsigned shade)
{
	output_text(o, "<path fill=\"");
	shades_write(o, shade);
	output_text(o, "\" d=\"");
}

bool shades_are_log(const struct shades *s)
{
	return s->max > LOG_FROM * s->min;
}

unsigned shades_of(const struct shades *s, double value)
{
	const double share =
	    shades_are_log(s) ? log(value / s->min) / log(s->max / s->min) : value / s->max;
	const int shade = (int)(share * SHADES);
	return shade < 0 ? 0 : shade >= SHADES ? SHADES - 1 : (unsigned)shade;
}

double shades_value(const struct shades *s, unsigned shade)
{
	const double share = (double)shade / SHADES;
	return shades_are_log(s) ? s->min * pow(s->max / s->min, share) : s->max * share;
}

void shades_write_key(struct output *o, const struct shades *s, int x, int top, int height,
		      const char *low, const char *high)
{
	const double step = (double)(height - 2 * KEY_MARGIN) / SHADES;
	const int bottom = top + height - KEY_MARGIN;
	for (unsigned shade = 0; shade < SHADES; shade++) {
		output_text(o, "<rect fill=\"");
		shades_write(o, shade);
		output_printf(o, "\" x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%.1f\"/>\n", x,
			      bottom - (shade + 1) * step, KEY_WIDTH, step + 0.3);
	}
	canvas_text(o, x - 4, top + 12, "start", high);
	canvas_text(o, x - 4, bottom + 16, "start", low);
	canvas_text(o, x - 4, top - 6, "start", shades_are_log(s) ? "log" : "linear");
}
