/* SPDX-License-Identifier: BSD-2-Clause */
/* The autocorrelation of the bytes over time, and the mean cycle. */
#include <math.h>
#include <stdio.h>

#include "lib/result/names.h"

#include "canvas.h"

enum { PHASES = 64, LEFT_WIDTH = 270, RIGHT_LEFT = CANVAS_LEFT + LEFT_WIDTH + 76 };

static double period_of(const struct plot_data *d)
{
	return plot_number(d, VALUE(cycles, period_s), NULL);
}

static bool has_data(const struct plot_data *d)
{
	return !isnan(period_of(d)) && d->lag_count > 0;
}

static size_t profile_of(const struct plot_data *d, const char *name, double phase[PHASES])
{
	const struct iot_analyze_value *v;
	size_t n = 0;
	for (size_t i = 0; n < PHASES && (v = plot_next(d, &i, SECTION_OF(cycles), name)) != NULL;
	     n++)
		phase[n] = v->kind == IOT_VALUE_NUMBER ? (double)v->number : v->real;
	return n;
}

static void draw_correlation(const struct plot_data *d, struct output *o)
{
	const double period = period_of(d);
	struct svg_frame f = {CANVAS_FRAME, .y = {"autocorrelation", SVG_LINEAR, -1, 1}};
	const struct iot_analyze_value *method = plot_value(d, VALUE(cycles, period_method), NULL);
	char text[96], s[SVG_LABEL];
	f.width = LEFT_WIDTH;
	canvas_set_time(&f, 0, (double)d->lag_count * d->lag_s);
	f.x.label = f.x_unit < 1e-4 ? "lag, us" : f.x_unit < 0.1 ? "lag, ms" : "lag, s";
	canvas_axes(o, &f);
	output_printf(o, "<path class=\"l p h\" d=\"M%d,%.1fh%d\"><title>0.3</title></path>\n",
		      f.left, svg_y(&f, 0.3), f.width);
	output_printf(o, "<path class=\"l d k\" d=\"M%.1f,%dv%d\"><title>period</title></path>\n",
		      svg_x(&f, period), f.top, f.height);
	output_text(o, "<path class=\"l o\" d=\"");
	for (size_t k = 0; k < d->lag_count; k++)
		output_printf(o, "%c%.1f,%.1f", k == 0 ? 'M' : 'L', svg_x(&f, (double)k * d->lag_s),
			      svg_y(&f, d->correlation[k]));
	output_text(o, "\"/>\n");
	snprintf(text, sizeof text, "period %s (dashed), by %.*s; dotted: 0.3",
		 canvas_seconds(s, period), method != NULL ? (int)method->text.size : 0,
		 method != NULL ? method->text.data : "");
	canvas_text(o, PLOT_WIDTH - CANVAS_RIGHT, 18, "end", text);
}

static void draw_phase(struct output *o, const struct svg_frame *f, const double *value,
		       const char *mark)
{
	output_printf(o, "<path class=\"%s\" d=\"", mark);
	output_printf(o, "M%d,%.1f", f->left, svg_y(f, value[0]));
	for (unsigned i = 0; i < PHASES; i++)
		output_printf(o, "V%.1fH%.1f", svg_y(f, value[i]), svg_x(f, (i + 1.) / PHASES));
	output_text(o, "\"/>\n");
}

/* Between the quartiles. */
static void draw_band(struct output *o, const struct svg_frame *f, const double *low,
		      const double *high)
{
	output_text(o, "<path class=\"b r\" d=\"");
	for (unsigned i = 0; i < PHASES; i++)
		output_printf(o, "M%.1f,%.1fH%.1fV%.1fH%.1fz", svg_x(f, (double)i / PHASES),
			      svg_y(f, high[i]), svg_x(f, (i + 1.) / PHASES), svg_y(f, low[i]),
			      svg_x(f, (double)i / PHASES));
	output_text(o, "\"/>\n");
}

static void draw_cycle(const struct plot_data *d, struct output *o)
{
	static const struct canvas_legend legend[] = {
	    {"l r", "mean"}, {"b r", "quartiles of the cycles"}, {0}};
	double mean[PHASES], low[PHASES], high[PHASES], max = 0;
	char text[SVG_LABEL];
	struct svg_frame f = {.left = RIGHT_LEFT,
			      .top = CANVAS_TOP,
			      .width = PLOT_WIDTH - RIGHT_LEFT - CANVAS_RIGHT,
			      .height = PLOT_HEIGHT - CANVAS_TOP - CANVAS_BOTTOM,
			      .x = {"position in the cycle", SVG_LINEAR, 0, 1}};
	if (profile_of(d, NAME_OF(profile), mean) < PHASES ||
	    profile_of(d, NAME_OF(profile_low), low) < PHASES ||
	    profile_of(d, NAME_OF(profile_high), high) < PHASES)
		return;
	for (unsigned i = 0; i < PHASES; i++)
		max = fmax(max, fmax(mean[i], high[i]));
	canvas_set_max(&f, max, &canvas_byte_rates);
	canvas_axes(o, &f);
	draw_band(o, &f, low, high);
	draw_phase(o, &f, mean, "l r");
	for (unsigned i = 0; i < PHASES; i++) {
		const double x = svg_x(&f, (double)i / PHASES);
		canvas_rect(o, "t", x, f.top, svg_x(&f, (i + 1.) / PHASES) - x, f.height);
		output_printf(o, "position %.3f: %s", (double)i / PHASES,
			      canvas_si(text, mean[i], "B/s"));
		canvas_rect_end(o);
	}
	canvas_legend(o, RIGHT_LEFT, legend);
}

static void draw(const struct plot_data *d, struct output *o)
{
	draw_correlation(d, o);
	draw_cycle(d, o);
}

static void write_data(const struct plot_data *d, struct tsv *t)
{
	static const char *const names[] = {"kind", "lag_s_or_position", "value", "low", "high",
					    NULL};
	double mean[PHASES], low[PHASES], high[PHASES];
	tsv_begin(t, names);
	for (size_t k = 0; k < d->lag_count; k++) {
		tsv_word(t, "autocorrelation");
		tsv_real(t, (double)k * d->lag_s);
		tsv_real(t, d->correlation[k]);
		tsv_unknown(t);
		tsv_unknown(t);
	}
	if (profile_of(d, NAME_OF(profile), mean) < PHASES ||
	    profile_of(d, NAME_OF(profile_low), low) < PHASES ||
	    profile_of(d, NAME_OF(profile_high), high) < PHASES)
		return;
	for (unsigned i = 0; i < PHASES; i++) {
		tsv_word(t, "cycle");
		tsv_real(t, (double)i / PHASES);
		tsv_real(t, mean[i]);
		tsv_real(t, low[i]);
		tsv_real(t, high[i]);
	}
}

const struct plot plot_cycle = {
    .name = "cycle",
    .title = "Cycle",
    .description = "Left: the autocorrelation of the bytes over time, with the period. Right: the "
		   "mean cycle, with the quartiles of all cycles.",
    .has_data = has_data,
    .draw = draw,
    .write_data = write_data,
};
