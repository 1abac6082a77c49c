/* SPDX-License-Identifier: BSD-2-Clause */
#include "plots.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print/tsv.h"
#include "cli/ui/printable.h"
#include "cli/ui/svg.h"
#include "cli/ui/svg_bars.h"
#include "cli/ui/trace_out.h"
#include "lib/base/error.h"

enum { LINES_MAX = 4, ROWS_MAX = 40, ID_TEXT = 32, PATH_TEXT = 4096 };
enum { PLOT_SIZES, PLOT_ATIME, PLOT_MTIME, PLOT_KEYS, PLOTS = PLOT_KEYS + SURVEY_BY_PROJECT };

/* The last ones are in the order of enum survey_by. */
static const char *const plot_names[PLOTS] = {"sizes",  "atime",       "mtime",   "owners",
					      "groups", "directories", "projects"};

/* A line of a plot: the shares of items up to the upper limits of bins. */
struct share_line {
	const char *name;
	double x[SURVEY_BINS], y[SURVEY_BINS];
	size_t count;
};

struct survey_plot {
	struct share_line line[LINES_MAX];
	size_t lines;
	struct svg_bar_row row[ROWS_MAX];
	size_t rows;
	struct survey_key_row *keys; /* of these rows, which have their names */
	char id[ROWS_MAX][ID_TEXT];
};

/* Leaves out bins without an upper limit, and bins after the last item. */
static void add_line(struct survey_plot *p, const char *name, enum survey_scale scale,
		     const double bins[SURVEY_BINS])
{
	struct share_line *l = &p->line[p->lines++];
	double all = 0, below = 0;
	*l = (struct share_line){.name = name};
	for (size_t i = 0; i < SURVEY_BINS; i++)
		all += bins[i];
	for (unsigned i = 0; i < SURVEY_BINS && below < all; i++) {
		const uint64_t upper = survey_upper(scale, i);
		below += bins[i];
		if (upper == UINT64_MAX)
			break;
		l->x[l->count] = (double)upper + 1;
		l->y[l->count++] = below / all;
	}
}

static void size_plot(struct survey_plot *p, const struct fs_survey *s,
		      const struct key_sums *without)
{
	double files[SURVEY_BINS], bytes[SURVEY_BINS];
	for (size_t i = 0; i < SURVEY_BINS; i++) {
		files[i] = (double)s->of[SURVEY_SIZE].bin_items[i];
		bytes[i] = (double)s->of[SURVEY_SIZE].bin_amount[i];
	}
	add_line(p, "files", SURVEY_KIB, files);
	add_line(p, "bytes", SURVEY_KIB, bytes);
	for (size_t i = 0; i < SURVEY_BINS && without != NULL; i++) {
		files[i] -= (double)without->size_files[i];
		bytes[i] -= (double)without->size_bytes[i];
	}
	if (without == NULL)
		return;
	add_line(p, "files without", SURVEY_KIB, files);
	add_line(p, "bytes without", SURVEY_KIB, bytes);
}

static void age_plot(struct survey_plot *p, const struct fs_survey *s, enum survey_histogram h)
{
	double files[SURVEY_BINS], bytes[SURVEY_BINS];
	for (size_t i = 0; i < SURVEY_BINS; i++) {
		files[i] = (double)s->of[h].bin_items[i];
		bytes[i] = (double)s->of[h + 1].bin_items[i];
	}
	add_line(p, "files", SURVEY_DAYS, files);
	add_line(p, "bytes", SURVEY_DAYS, bytes);
}

static double share(uint64_t part, double whole)
{
	return whole > 0 ? (double)part / whole : 0;
}

/* Returns false if out of memory. */
static bool key_plot(struct survey_plot *p, const struct fs_survey *s, size_t top)
{
	const struct survey_bins *sizes = &s->of[SURVEY_SIZE];
	size_t count;
	p->keys = survey_key_rows(s, &count);
	for (; p->keys != NULL && p->rows < count && p->rows < top && p->rows < ROWS_MAX;
	     p->rows++) {
		const struct survey_key_row *k = &p->keys[p->rows];
		p->row[p->rows] =
		    (struct svg_bar_row){survey_key_name(k, p->id[p->rows], ID_TEXT),
					 {share(k->sums->files, (double)s->entries[SURVEY_FILE]),
					  share(k->sums->bytes, (double)sizes->amount)}};
	}
	return p->keys != NULL;
}

/* Output */

static void path_of(char path[PATH_TEXT], const char *directory, size_t plot, const char *suffix)
{
	snprintf(path, PATH_TEXT, "%s/%s%s", directory, plot_names[plot], suffix);
}

static void draw_lines(struct output *o, const struct survey_plot *p, size_t plot)
{
	static const char *const titles[PLOT_KEYS] = {
	    "Sizes of files", "Days since the last access", "Days since the last modification"};
	struct svg_series series[LINES_MAX];
	struct svg_plot svg = {
	    .title = titles[plot],
	    .description = "Cumulative shares of files and of their bytes.",
	    .x = {plot == PLOT_SIZES ? "size" : "days", plot == PLOT_SIZES ? SVG_BYTES : SVG_LOG, 0,
		  0},
	    .y = {"share", SVG_LINEAR, 0, 1},
	    .series = series,
	    .count = p->lines,
	};
	svg.x.min = p->line[0].count > 0 ? p->line[0].x[0] : 1;
	svg.x.max = 2 * svg.x.min;
	for (size_t i = 0; i < p->lines; i++) {
		const struct share_line *l = &p->line[i];
		series[i] =
		    (struct svg_series){.name = l->name, .x = l->x, .y = l->y, .count = l->count};
		if (l->count > 0 && l->x[l->count - 1] > svg.x.max)
			svg.x.max = l->x[l->count - 1];
	}
	svg_write(o, &svg);
}

static void draw(struct output *o, const struct survey_plot *p, size_t plot)
{
	static const char *const titles[] = {"Owners", "Groups", "Directories", "Projects"};
	if (plot < PLOT_KEYS) {
		draw_lines(o, p, plot);
		return;
	}
	const struct svg_bar_plot bars = {
	    .title = titles[plot - PLOT_KEYS],
	    .description = "Shares of files and of their bytes, the largest first.",
	    .of = {"files", "bytes"},
	    .row = p->row,
	    .count = p->rows,
	};
	svg_bars_write(o, &bars);
}

static void write_lines(const struct survey_plot *p, struct tsv *t)
{
	static const char *const names[] = {"line", "below", "share", NULL};
	tsv_begin(t, names);
	for (size_t i = 0; i < p->lines; i++)
		for (size_t j = 0; j < p->line[i].count; j++) {
			tsv_word(t, p->line[i].name);
			tsv_real(t, p->line[i].x[j]);
			tsv_real(t, p->line[i].y[j]);
		}
}

static void write_rows(const struct survey_plot *p, struct tsv *t)
{
	static const char *const names[] = {"survey_key", "files_share", "bytes_share", NULL};
	char name[PATH_TEXT];
	tsv_begin(t, names);
	for (size_t i = 0; i < p->rows; i++) {
		const char *key = p->row[i].name;
		tsv_word(t, escape_text(name, sizeof name, key, strlen(key)));
		tsv_real(t, p->row[i].share[0]);
		tsv_real(t, p->row[i].share[1]);
	}
}

static enum exit_status write_plot(const struct survey_plot *p, const char *directory, size_t plot)
{
	char path[PATH_TEXT];
	struct output o = {.status = IOT_OK};
	path_of(path, directory, plot, ".svg");
	if (output_open(&o, path, 0) != EXIT_OK)
		return EXIT_FAILED;
	draw(&o, p, plot);
	enum exit_status status = output_close(&o);
	path_of(path, directory, plot, ".tsv");
	if (status != EXIT_OK || output_open(&o, path, 0) != EXIT_OK)
		return EXIT_FAILED;
	struct tsv t = {.out = &o};
	if (plot < PLOT_KEYS)
		write_lines(p, &t);
	else
		write_rows(p, &t);
	tsv_end(&t);
	return output_close(&o);
}

/* Writes no plot of a histogram that is unknown or empty. */
static bool has_data(const struct fs_survey *s, enum survey_histogram h)
{
	return survey_knows(s, h) && s->of[h].items > 0;
}

/* Returns whether plot i has data. */
static bool is_shown(const struct fs_survey *s, size_t i)
{
	static const enum survey_histogram of[PLOT_KEYS] = {SURVEY_SIZE, SURVEY_ATIME,
							    SURVEY_MTIME};
	if (i < PLOT_KEYS)
		return has_data(s, of[i]);
	return s->by == SURVEY_BY_OWNER + (i - PLOT_KEYS) && has_data(s, SURVEY_SIZE);
}

/* Returns false if out of memory. */
static bool make_plot(struct survey_plot *p, const struct fs_survey *s,
		      const struct survey_plots *shown, size_t i)
{
	p->lines = p->rows = 0;
	if (i >= PLOT_KEYS)
		return key_plot(p, s, shown->top);
	if (i == PLOT_SIZES)
		size_plot(p, s, shown->without);
	else
		age_plot(p, s, i == PLOT_ATIME ? SURVEY_ATIME : SURVEY_MTIME);
	return true;
}

static void free_plot(struct survey_plot *p)
{
	if (p != NULL)
		free(p->keys);
	free(p);
}

bool survey_plots_embed(const struct fs_survey *s, const struct survey_plots *shown,
			struct output *o)
{
	struct survey_plot *p = calloc(1, sizeof *p);
	bool ok = p != NULL;
	for (size_t i = 0; ok && i < PLOTS; i++) {
		if (!is_shown(s, i))
			continue;
		ok = make_plot(p, s, shown, i);
		output_text(o, "<figure style=\"--fg:#222;--soft:#666;--rule:#ddd\">\n");
		draw(o, p, i);
		output_text(o, "</figure>\n");
	}
	free_plot(p);
	return ok;
}

enum exit_status survey_plots_write(const struct fs_survey *s, const char *directory,
				    const struct survey_plots *shown)
{
	struct survey_plot *p = calloc(1, sizeof *p);
	if (p == NULL)
		return message_no_memory();
	enum exit_status status = trace_out_make_directory(directory);
	for (size_t i = 0; i < PLOTS && status == EXIT_OK; i++) {
		if (is_shown(s, i))
			status = make_plot(p, s, shown, i) ? write_plot(p, directory, i)
							   : message_no_memory();
	}
	free_plot(p);
	return status;
}

void survey_plots_add_files(struct same_file_set *files, const char *directory)
{
	static const char *const suffixes[] = {".svg", ".tsv"};
	char path[PATH_TEXT];
	for (size_t i = 0; i < 2 * PLOTS; i++) {
		path_of(path, directory, i / 2, suffixes[i % 2]);
		same_file_add_output(files, ROLE_OUTPUT, "--plots", path);
	}
}
