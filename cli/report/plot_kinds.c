/* SPDX-License-Identifier: BSD-2-Clause */
/* The time in reads, writes and kinds of operations, over all processes. */
#include <math.h>
#include <stdio.h>

#include "cli/analyze/call_times.h"

#include "canvas.h"

enum { LABEL_WIDTH = 180, VALUE_WIDTH = 150, ROW = 22, BAR = 15, TOP = 36 };

/* Returns the number of kinds with a known time, which are the first ones; all: their sum. */
static size_t timed_kinds(const struct plot_data *d, struct call_time list[CALL_TIMES_MAX],
			  double *all)
{
	const size_t n = call_times(d->analysis, list);
	size_t timed = 0;
	*all = 0;
	for (; timed < n && list[timed].ns > 0; timed++)
		*all += list[timed].ns;
	return timed;
}

static bool has_data(const struct plot_data *d)
{
	struct call_time list[CALL_TIMES_MAX];
	double all;
	return timed_kinds(d, list, &all) > 0;
}

static int height_of(const struct plot_data *d)
{
	struct call_time list[CALL_TIMES_MAX];
	double all;
	return TOP + ROW * (int)timed_kinds(d, list, &all) + 4;
}

static const char *mark_of(const struct call_time *k)
{
	return k->name[0] == 'r' && k->name[3] == 'd' ? "f r" : k->name[0] == 'w' ? "f w" : "f m";
}

static void draw(const struct plot_data *d, struct output *o)
{
	struct call_time list[CALL_TIMES_MAX];
	double all;
	const size_t n = timed_kinds(d, list, &all);
	const int width = PLOT_WIDTH - LABEL_WIDTH - VALUE_WIDTH;
	for (size_t i = 0; i < n; i++) {
		const struct call_time *k = &list[i];
		const double y = TOP + ROW * (double)i;
		char text[2 * SVG_LABEL], s[SVG_LABEL];
		canvas_text(o, LABEL_WIDTH - 8, y + BAR - 3, "end", k->name);
		canvas_rect(o, mark_of(k), LABEL_WIDTH, y, width * k->ns / list[0].ns, BAR);
		output_printf(o, "%s: %ju calls", k->name, (uintmax_t)k->calls);
		canvas_rect_end(o);
		snprintf(text, sizeof text, "%s, %.3g %%", canvas_seconds(s, k->ns / 1e9),
			 100 * k->ns / all);
		canvas_text(o, LABEL_WIDTH + width * k->ns / list[0].ns + 6, y + BAR - 3, "start",
			    text);
	}
}

static void write_data(const struct plot_data *d, struct tsv *t)
{
	static const char *const names[] = {"calls_of", "calls", "time_ns", NULL};
	struct call_time list[CALL_TIMES_MAX];
	const size_t n = call_times(d->analysis, list);
	tsv_begin(t, names);
	for (size_t i = 0; i < n; i++) {
		tsv_word(t, list[i].name);
		tsv_number(t, list[i].calls);
		tsv_whole(t, list[i].ns);
	}
}

const struct plot plot_kinds = {
    .name = "kinds",
    .title = "Time by kind of operation",
    .description = "The time of all processes in reads, in writes, and in each kind of operation.",
    .height_of = height_of,
    .has_data = has_data,
    .draw = draw,
    .write_data = write_data,
};
