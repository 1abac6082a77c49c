/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plots the time in idle periods by their length: nearly idle periods, and periods without
 * activity.
 */
#include <math.h>
#include <stdio.h>

#include "lib/result/names.h"

#include "canvas.h"

enum { LABEL_WIDTH = 110, VALUE_WIDTH = 130, ROW = 18, BAR = 13, TOP = 52, KINDS = 2 };

static const char *const lengths[] = {"< 1 min", "1-10 min", "10-60 min", "1-6 h", ">= 6 h"};
enum { LENGTHS = sizeof lengths / sizeof lengths[0] };

static const struct idle_kind {
	const char *ns, *count, *mark;
} kinds[KINDS] = {{NAME_OF(idle_below_5_class_ns), NAME_OF(idle_below_5_class), "f o"},
		  {NAME_OF(idle_without_io_class_ns), NAME_OF(idle_without_io_class), "f r"}};

/* Bins of a minute or more have these values: of samples, else of requests. */
static double value(const struct plot_data *d, const char *name, const char *key)
{
	const double of_samples = plot_number(d, SECTION_OF(samples), name, key);
	return isnan(of_samples) ? plot_number(d, SECTION_OF(time), name, key) : of_samples;
}

static double longest(const struct plot_data *d)
{
	double max = 0;
	for (unsigned k = 0; k < KINDS; k++)
		for (unsigned i = 0; i < LENGTHS; i++)
			max = fmax(max, value(d, kinds[k].ns, lengths[i]));
	return max;
}

static bool has_data(const struct plot_data *d)
{
	return longest(d) > 0;
}

static void draw_bar(const struct plot_data *d, struct output *o, const struct idle_kind *k,
		     const char *class, double y)
{
	const double ns = value(d, k->ns, class), max = longest(d),
		     width = (PLOT_WIDTH - LABEL_WIDTH - VALUE_WIDTH) * ns / max;
	char text[2 * SVG_LABEL], s[SVG_LABEL];
	if (!(ns > 0))
		return;
	canvas_rect(o, k->mark, LABEL_WIDTH, y, width, BAR);
	output_printf(o, "%s: %.0f periods", class, value(d, k->count, class));
	canvas_rect_end(o);
	snprintf(text, sizeof text, "%s in %.0f", canvas_seconds(s, ns / 1e9),
		 value(d, k->count, class));
	canvas_small(o, LABEL_WIDTH + width + 6, y + BAR - 3, "start", text);
}

static void draw(const struct plot_data *d, struct output *o)
{
	static const struct canvas_legend legend[] = {
	    {"f o", "below 5 % of the highest rate"}, {"f r", "without any activity"}, {0}};
	for (unsigned i = 0; i < LENGTHS; i++) {
		const double y = TOP + (KINDS * ROW + 6) * (double)i;
		canvas_text(o, LABEL_WIDTH - 8, y + ROW + 2, "end",
			    i + 1 < LENGTHS ? lengths[i] : "6 h or more");
		for (unsigned k = 0; k < KINDS; k++)
			draw_bar(d, o, &kinds[k], lengths[i], y + ROW * (double)k);
	}
	canvas_legend(o, CANVAS_LEFT, legend);
}

static void write_data(const struct plot_data *d, struct tsv *t)
{
	static const char *const names[] = {
	    "length", "below_5_periods", "below_5_ns", "without_io_periods", "without_io_ns", NULL};
	tsv_begin(t, names);
	for (unsigned i = 0; i < LENGTHS; i++) {
		tsv_word(t, lengths[i]);
		for (unsigned k = 0; k < KINDS; k++) {
			tsv_whole(t, value(d, kinds[k].count, lengths[i]));
			tsv_whole(t, value(d, kinds[k].ns, lengths[i]));
		}
	}
}

const struct plot plot_idle = {
    .name = "idle",
    .title = "Time in idle periods by length",
    .description = "The time in periods with less than 5 % of the highest rate, and without any "
		   "activity, by the length of the period.",
    .height = TOP + LENGTHS * (KINDS * ROW + 6) + 8,
    .has_data = has_data,
    .draw = draw,
    .write_data = write_data,
};
