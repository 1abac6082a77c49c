/* SPDX-License-Identifier: BSD-2-Clause */
/* The distribution of request sizes: by power of two, and in the ten classes of Darshan. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/number.h"
#include "lib/result/names.h"

#include "canvas.h"

enum {
	SIZE_CLASSES = 66,    /* size 0; (2^(k-2), 2^(k-1)] for k from 1 */
	SIZE_CLASSES_MIN = 8, /* drawn */
	RIGHT = 64,
	STEPS_MAX = 400, /* of a line */
	DARSHAN_CLASSES = 10
};

static const char *const count_names[2] = {NAME_OF(read_size_log2), NAME_OF(write_size_log2)},
			 *const bin_names[2] = {NAME_OF(read_size_bins), NAME_OF(write_size_bins)},
			 *const byte_names[2] = {NAME_OF(read_size_bin_bytes),
						 NAME_OF(written_size_bin_bytes)};

struct distribution {
	uint64_t count[SIZE_CLASSES][2], bytes[SIZE_CLASSES][2], requests, all_bytes;
	unsigned first, end; /* of the classes that are drawn */
};

/* The class of a size, or of the upper bound of a bin. */
static unsigned class_of(const char *key)
{
	uint64_t size;
	if (!number_decimal(key, strlen(key), &size))
		return SIZE_CLASSES - 1; /* 2^64 */
	return size == 0 ? 0 : size == 1 ? 1 : 65U - (unsigned)__builtin_clzll(size - 1);
}

static void set_range(struct distribution *s)
{
	s->first = SIZE_CLASSES;
	for (unsigned k = 0; k < SIZE_CLASSES; k++)
		if (s->count[k][0] + s->count[k][1] > 0) {
			s->first = s->first < k ? s->first : k;
			s->end = k + 1;
		}
	while (s->end < s->first + SIZE_CLASSES_MIN) {
		s->end += s->end < SIZE_CLASSES;
		s->first -= s->first > 0;
	}
}

static struct distribution distribution_of(const struct plot_data *d)
{
	struct distribution s = {.requests = 0};
	const struct iot_analyze_value *v;
	for (unsigned w = 0; w < 2; w++) {
		for (size_t i = 0;
		     (v = plot_next(d, &i, SECTION_OF(sizes), count_names[w])) != NULL;) {
			s.count[class_of(v->key)][w] += v->number;
			s.requests += v->number;
		}
		for (size_t i = 0;
		     (v = plot_next(d, &i, SECTION_OF(sizes), byte_names[w])) != NULL;) {
			s.bytes[class_of(v->key)][w] += v->number;
			s.all_bytes += v->number;
		}
	}
	if (s.requests > 0)
		set_range(&s);
	return s;
}

static bool has_data(const struct plot_data *d)
{
	size_t at = 0;
	return plot_next(d, &at, SECTION_OF(sizes), count_names[0]) != NULL ||
	       (at = 0, plot_next(d, &at, SECTION_OF(sizes), count_names[1]) != NULL);
}

/* The upper bound of a class. */
static double upper(unsigned k)
{
	return k == 0 ? 0 : ldexp(1, (int)k - 1);
}

static const char *class_text(char text[SVG_LABEL], unsigned k)
{
	static const struct svg_axis bytes = {.scale = SVG_BYTES};
	return svg_tick(&bytes, text, upper(k));
}

static double share_of(uint64_t part, uint64_t whole)
{
	return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

static void draw_bar(struct output *o, const struct svg_frame *f, double x, double width,
		     double percent, unsigned w)
{
	const double y = svg_y(f, percent);
	canvas_rect(o, w == 0 ? "f r" : "f w", x, y, width, f->top + f->height - y);
}

static void draw_bars(const struct distribution *s, struct output *o, const struct svg_frame *f)
{
	const double step = (double)f->width / (s->end - s->first);
	char text[SVG_LABEL];
	for (unsigned k = s->first; k < s->end; k++)
		for (unsigned w = 0; w < 2; w++) {
			const double percent = share_of(s->count[k][w], s->requests);
			if (s->count[k][w] == 0)
				continue;
			draw_bar(o, f, f->left + (k - s->first + 0.1 + 0.4 * w) * step, 0.4 * step,
				 percent, w);
			output_printf(o, "%s up to %s: %ju, %.3g %%", w == 0 ? "reads" : "writes",
				      class_text(text, k), (uintmax_t)s->count[k][w], percent);
			canvas_rect_end(o);
		}
}

/* Marks at the upper bounds of classes. */
static void draw_x_axis(const struct distribution *s, struct output *o, const struct svg_frame *f)
{
	enum { LABELS = 10 };
	const unsigned n = s->end - s->first, every = (n + LABELS - 1) / LABELS;
	char text[SVG_LABEL];
	for (unsigned k = s->first; k < s->end; k++) {
		if ((k - s->first) % every != every - 1)
			continue;
		const double x = f->left + (double)(k - s->first + 1) * f->width / n;
		output_printf(
		    o, "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>\n", x,
		    f->top, x, f->top + f->height);
		canvas_text(o, x, f->top + f->height + 16, "middle", class_text(text, k));
	}
	canvas_text(o, f->left + f->width / 2., f->top + f->height + 38, "middle",
		    "size of requests, bars up to this");
}

/* The bins of both directions, in order of size, with their counts or bytes. */
struct size_bin {
	double size;
	uint64_t number;
};

static int by_size(const void *left, const void *right)
{
	const struct size_bin *a = left, *b = right;
	return (a->size > b->size) - (a->size < b->size);
}

/* Returns the position of a size on the axis, where each power of two has the same width. */
static double x_of(const struct distribution *s, const struct svg_frame *f, double size)
{
	const double at = size < 0.75 ? 1 : 2 + log2(size); /* the end of its class, or before it */
	const double x = (at - s->first) / (s->end - s->first);
	return f->left + f->width * (x < 0 ? 0 : x > 1 ? 1 : x);
}

static size_t read_bins(const struct plot_data *d, const char *const names[2],
			struct size_bin *bins)
{
	const struct iot_analyze_value *v;
	size_t n = 0;
	for (unsigned w = 0; w < 2; w++)
		for (size_t i = 0; (v = plot_next(d, &i, SECTION_OF(sizes), names[w])) != NULL; n++)
			if (bins != NULL)
				bins[n] = (struct size_bin){strtod(v->key, NULL), v->number};
	return n;
}

/* A line of the cumulated share, without steps that change it by less than the line can show. */
static void draw_cumulated(const struct plot_data *d, const struct distribution *s,
			   struct output *o, const struct svg_frame *f, const char *const names[2],
			   const char *mark)
{
	const size_t n = read_bins(d, names, NULL);
	struct size_bin *bins = calloc(n + 1, sizeof *bins);
	double sum = 0, all = 0, drawn = 0;
	if (bins == NULL)
		return;
	read_bins(d, names, bins);
	qsort(bins, n, sizeof *bins, by_size);
	for (size_t i = 0; i < n; i++)
		all += (double)bins[i].number;
	output_printf(o, "<path class=\"%s\" d=\"M%d,%d", mark, f->left, f->top + f->height);
	for (size_t i = 0; i < n && all > 0; i++) {
		sum += (double)bins[i].number;
		if (sum / all - drawn < 1. / STEPS_MAX && i + 1 < n)
			continue;
		drawn = sum / all;
		output_printf(o, "H%.1fV%.1f", x_of(s, f, bins[i].size),
			      f->top + f->height * (1 - drawn));
	}
	output_printf(o, "H%d\"/>\n", f->left + f->width);
	free(bins);
}

static void draw(const struct plot_data *d, struct output *o)
{
	static const struct canvas_legend legend[] = {{"f r", "reads"},
						      {"f w", "writes"},
						      {"l o", "cumulated, by requests"},
						      {"l d k", "cumulated, by bytes"},
						      {0}};
	const struct svg_axis percent = {"cumulated %", SVG_LINEAR, 0, 100};
	struct distribution s = distribution_of(d);
	double max = 0;
	/* the last steps of the lines are not on the border */
	s.end += s.end < SIZE_CLASSES && s.count[s.end - 1][0] + s.count[s.end - 1][1] > 0;
	for (unsigned k = 0; k < SIZE_CLASSES; k++)
		for (unsigned w = 0; w < 2; w++)
			max = fmax(max, share_of(s.count[k][w], s.requests));
	struct svg_frame f = {CANVAS_FRAME, .x = {NULL, SVG_LINEAR, s.first, s.end},
			      .y = canvas_axis_to(max, "% of requests")};
	f.width = PLOT_WIDTH - CANVAS_LEFT - RIGHT;
	draw_x_axis(&s, o, &f);
	svg_y_axis(o, &f);
	svg_right_axis(o, &f, &percent);
	draw_bars(&s, o, &f);
	output_printf(o, "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n",
		      f.left, f.top, f.width, f.height);
	draw_cumulated(d, &s, o, &f, bin_names, "l o");
	draw_cumulated(d, &s, o, &f, byte_names, "l d k");
	canvas_legend(o, CANVAS_LEFT, legend);
}

static void write_data(const struct plot_data *d, struct tsv *t)
{
	static const char *const names[] = {"up_to_bytes", "reads",         "writes",
					    "bytes_read",  "bytes_written", NULL};
	const struct distribution s = distribution_of(d);
	tsv_begin(t, names);
	for (unsigned k = s.first; k < s.end; k++) {
		tsv_whole(t, upper(k));
		tsv_number(t, s.count[k][0]);
		tsv_number(t, s.count[k][1]);
		tsv_number(t, s.bytes[k][0]);
		tsv_number(t, s.bytes[k][1]);
	}
}

const struct plot plot_sizes = {
    .name = "sizes",
    .title = "Sizes of requests",
    .description = "Share of the requests by size, in powers of two, for reads and writes; lines: "
		   "the share of requests, and of bytes, up to a size.",
    .has_data = has_data,
    .draw = draw,
    .write_data = write_data,
};

/* Classes of Darshan */

static void draw_classes(const struct plot_data *d, struct output *o)
{
	static const struct canvas_legend legend[] = {{"f r", "reads"}, {"f w", "writes"}, {0}};
	static const char *const names[2] = {NAME_OF(read_size_classes),
					     NAME_OF(write_size_classes)};
	const double n[2] = {plot_number(d, VALUE(totals, reads), NULL),
			     plot_number(d, VALUE(totals, writes), NULL)};
	const struct iot_analyze_value *v;
	double max = 0;
	for (unsigned w = 0; w < 2; w++)
		for (size_t i = 0; (v = plot_next(d, &i, SECTION_OF(sizes), names[w])) != NULL;)
			max = fmax(max, 100 * (double)v->number / (n[0] + n[1]));
	const struct svg_frame f = {CANVAS_FRAME, .x = {NULL, SVG_LINEAR, 0, DARSHAN_CLASSES},
				    .y = canvas_axis_to(max, "% of requests")};
	const double step = (double)f.width / DARSHAN_CLASSES;
	svg_y_axis(o, &f);
	output_printf(o, "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n",
		      f.left, f.top, f.width, f.height);
	for (unsigned w = 0; w < 2; w++) {
		unsigned k = 0;
		for (size_t i = 0; (v = plot_next(d, &i, SECTION_OF(sizes), names[w])) != NULL;
		     k++) {
			const double percent = 100 * (double)v->number / (n[0] + n[1]);
			if (w == 0)
				canvas_small(o, f.left + (k + 0.5) * step, f.top + f.height + 16,
					     "middle", v->key);
			if (v->number == 0)
				continue;
			draw_bar(o, &f, f.left + (k + 0.1 + 0.4 * w) * step, 0.4 * step, percent,
				 w);
			output_printf(o, "%s of %s: %ju, %.3g %%", w == 0 ? "reads" : "writes",
				      v->key, (uintmax_t)v->number, percent);
			canvas_rect_end(o);
		}
	}
	canvas_text(o, f.left + f.width / 2., f.top + f.height + 38, "middle", "size of requests");
	canvas_legend(o, CANVAS_LEFT, legend);
}

static void write_classes(const struct plot_data *d, struct tsv *t)
{
	static const char *const names[] = {"class", "reads", "writes", NULL};
	const struct iot_analyze_value *v;
	tsv_begin(t, names);
	for (size_t i = 0; (v = plot_next(d, &i, VALUE(sizes, read_size_classes))) != NULL;) {
		tsv_word(t, v->key);
		tsv_number(t, v->number);
		tsv_whole(t, plot_number(d, VALUE(sizes, write_size_classes), v->key));
	}
}

const struct plot plot_classes10 = {
    .name = "classes10",
    .title = "Sizes of requests, in the classes of Darshan",
    .description = "Share of the requests in each of the ten size classes of Darshan.",
    .has_data = has_data,
    .draw = draw_classes,
    .write_data = write_classes,
};
