/* SPDX-License-Identifier: BSD-2-Clause */
#include "hexagons.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "canvas.h"
#include "shades.h"

static const double radius = 7, width = 7 * 1.7320508075688772, row_height = 7 * 1.5;

static double x_of(const struct hexagon *h)
{
	return (h->q + (h->r % 2 != 0 ? 0.5 : 0)) * width;
}

static double y_of(const struct hexagon *h)
{
	return h->r * row_height;
}

/* The hexagon with the nearest centre, which is in one of two rows. */
static struct hexagon hexagon_at(const struct hexagon_point *p)
{
	struct hexagon best = {.count = 1};
	double nearest = INFINITY;
	for (int k = 0; k < 2; k++) {
		struct hexagon h = {.r = (int)floor(p->y / row_height) + k, .count = 1};
		h.q = (int)lround(p->x / width - (h.r % 2 != 0 ? 0.5 : 0));
		const double dx = x_of(&h) - p->x, dy = y_of(&h) - p->y;
		const double distance_squared = dx * dx + dy * dy;
		if (distance_squared < nearest)
			best = h;
		nearest = fmin(nearest, distance_squared);
	}
	return best;
}

static int by_place(const void *left, const void *right)
{
	const struct hexagon *a = left, *b = right;
	if (a->r != b->r)
		return a->r < b->r ? -1 : 1;
	return (a->q > b->q) - (a->q < b->q);
}

bool hexagons_make(struct hexagons *h, const struct hexagon_point *points, size_t n)
{
	size_t used = 0;
	*h = (struct hexagons){.of = calloc(n + 1, sizeof *h->of)};
	if (h->of == NULL)
		return false;
	for (size_t i = 0; i < n; i++)
		h->of[i] = hexagon_at(&points[i]);
	if (n > 0)
		qsort(h->of, n, sizeof *h->of, by_place);
	for (size_t i = 0; i < n; i++) {
		if (used > 0 && by_place(&h->of[used - 1], &h->of[i]) == 0)
			h->of[used - 1].count++;
		else
			h->of[used++] = h->of[i];
		h->max = h->max > h->of[used - 1].count ? h->max : h->of[used - 1].count;
	}
	h->count = used;
	return true;
}

void hexagons_free(struct hexagons *h)
{
	free(h->of);
}

static void draw_one(struct output *o, const struct hexagon *h, const struct shades *shades)
{
	output_text(o, "<path class=\"x\" fill=\"");
	shades_write(o, shades_of(shades, (double)h->count));
	output_printf(o,
		      "\" d=\"M%.1f,%.1fl%.2f,%.2fv%.1fl-%.2f,%.2fl-%.2f-%.2fv-%.1fz\">"
		      "<title>%zu job%s</title></path>\n",
		      x_of(h), y_of(h) - radius, width / 2, radius / 2, radius, width / 2,
		      radius / 2, width / 2, radius / 2, radius, h->count,
		      h->count == 1 ? "" : "s");
}

void hexagons_draw(struct output *o, const struct hexagons *h, int key_x, int top, int height)
{
	const struct shades shades = {.min = 1, .max = (double)h->max};
	char high[SVG_LABEL];
	for (size_t i = 0; i < h->count; i++)
		draw_one(o, &h->of[i], &shades);
	if (h->max > 1)
		shades_write_key(o, &shades, key_x, top, height,
				 shades_are_log(&shades) ? "1" : "0",
				 canvas_si(high, (double)h->max, ""));
}
