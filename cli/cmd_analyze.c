/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace analyze: rates, sizes and order of the requests of a trace, and its I/O over time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <iotrace/analyze.h>

#include "cli/analyze_findings.h"
#include "cli/analyze_inputs.h"
#include "cli/analyze_states.h"
#include "cli/analyze_table.h"
#include "cli/report/plots.h"
#include "cli/report/report.h"
#include "cli/ui/printable.h"
#include "cli/ui/trace_in.h"
#include "cli/ui/trace_time.h"
#include "lib/base/atomic_file.h"
#include "lib/base/number.h"

enum {
	NS_PER_S = 1000000000,
	FIELD = 32,
	TOP_ON_TERMINAL = 20,
	NOT_BY = -1,
	BY_JOB = 4,
	PATH_CAPACITY = 512
};
enum { SCREEN_LINES = 40, SCREEN_FINDINGS = 4 /* lines, at least */ };

struct analyze_run {
	struct iot_analyze *analysis;
	struct iot_analyze_options options;
	struct trace_in in;
	struct output out;
	struct trace_in_options read;
	const char *sections;
	const char *state;        /* the file to write it to; or NULL */
	const char *html, *plots; /* the report and the directory for plots, or NULL */
	struct part_of {
		uint64_t k, n;
	} part;
	uint64_t runtime_s, epoch_ns;
	_Atomic uint64_t bins; /* of the parts joined so far; other threads begin parts */
	uint64_t top;          /* rows of a table; NOT_GIVEN: all */
	int layer;             /* enum iot_analyze_layer */
	int by;                /* index of table_by, or NOT_BY */
	bool hides_files;      /* the section was not selected */
	bool physical, per_thread, one_job, json, tsv, no_fsync, png;
};

/* Several traces are joined by the paths of files, even if that section is not selected. */
static bool is_hidden(const struct analyze_run *a, const char *section)
{
	return a->hides_files && strcmp(section, "files") == 0;
}

/* TSV */

static void print_tsv(struct analyze_run *a)
{
	const struct iot_analyze_value *v;
	output_text(&a->out, "section\tname\tkey\tunit\tvalue\tnote\n");
	for (size_t i = 0; (v = iot_analyze_value(a->analysis, i)) != NULL; i++) {
		if (is_hidden(a, v->section))
			continue;
		output_printf(&a->out, "%s\t%s\t%s\t%s\t", v->section, v->name, v->key, v->unit);
		analyze_tsv_value(&a->out, v);
		output_printf(&a->out, "\t%s\n", v->note != NULL ? v->note : "");
	}
}

/* JSON: {SECTION: {NAME: VALUE, NAME: {KEY: VALUE, ...}, ...}, ...} */

/* Writes the values of one name, from value i on; returns the index of the next name. */
static size_t json_name(struct json *j, const struct iot_analyze *a, size_t i)
{
	const struct iot_analyze_value *first = iot_analyze_value(a, i), *v = first;
	if (first->key[0] == '\0') {
		analyze_json_value(j, first->name, first);
		return i + 1;
	}
	json_open(j, first->name, '{');
	for (; v != NULL && v->name == first->name && v->section == first->section;
	     v = iot_analyze_value(a, ++i))
		analyze_json_value(j, v->key, v);
	json_close(j, '}');
	return i;
}

/* Returns the index of the next section. */
static size_t skip_section(const struct iot_analyze *a, size_t i)
{
	const char *section = iot_analyze_value(a, i)->section;
	const struct iot_analyze_value *v;
	while ((v = iot_analyze_value(a, i)) != NULL && v->section == section)
		i++;
	return i;
}

static size_t json_section(struct json *j, const struct iot_analyze *a, size_t i)
{
	const char *section = iot_analyze_value(a, i)->section;
	const struct iot_analyze_value *v;
	json_open(j, section, '{');
	while ((v = iot_analyze_value(a, i)) != NULL && v->section == section)
		i = json_name(j, a, i);
	json_close(j, '}');
	return i;
}

static void print_json(struct analyze_run *a)
{
	struct json j = {.out = &a->out, .pretty = true};
	json_open(&j, NULL, '{');
	for (size_t i = 0; iot_analyze_value(a->analysis, i) != NULL;)
		i = is_hidden(a, iot_analyze_value(a->analysis, i)->section)
			? skip_section(a->analysis, i)
			: json_section(&j, a->analysis, i);
	json_close(&j, '}');
}

/* Text: a table with a column for reads, writes and both */

enum shown { COUNT, BYTES, REAL, PERCENT };

struct text_row {
	const char *label;
	const char *section, *name, *key; /* names of reads and writes end in _r and _w */
	enum shown as;
	bool both;
};

static double real_of(const struct iot_analyze_value *v)
{
	return v->kind == IOT_VALUE_NUMBER ? (double)v->number : v->real;
}

static const char *shown_value(char text[FIELD], enum shown as, const struct iot_analyze_value *v)
{
	if (v == NULL || v->kind == IOT_VALUE_UNKNOWN)
		return "-";
	if (as == COUNT)
		snprintf(text, FIELD, "%ju", (uintmax_t)v->number);
	else if (as == BYTES && v->kind == IOT_VALUE_NUMBER)
		printable_bytes(text, FIELD, v->number);
	else if (as == BYTES)
		printable_bytes(text, FIELD, (uint64_t)v->real);
	else if (as == PERCENT)
		snprintf(text, FIELD, "%.1f %%", 100 * real_of(v));
	else
		snprintf(text, FIELD, real_of(v) < 1 ? "%.4f" : "%.2f", real_of(v));
	return text;
}

static const struct iot_analyze_value *find_of(const struct analyze_run *a,
					       const struct text_row *row, const char *name,
					       const char *suffix, const char *key)
{
	char whole[64];
	snprintf(whole, sizeof whole, "%s%s", name, suffix);
	return iot_analyze_find(a->analysis, row->section, whole, key);
}

/* The mid-point of a bin may be outside the range of the values. */
static const struct iot_analyze_value *quantile(const struct analyze_run *a,
						const struct text_row *row, const char *suffix)
{
	const struct iot_analyze_value *v = find_of(a, row, row->name, suffix, row->key),
				       *min = find_of(a, row, "size_min", suffix, NULL),
				       *max = find_of(a, row, "size_max", suffix, NULL);
	if (v->kind == IOT_VALUE_UNKNOWN)
		return v;
	return v->real < (double)min->number ? min : v->real > (double)max->number ? max : v;
}

static const char *field(const struct analyze_run *a, const struct text_row *row,
			 const char *suffix, char text[FIELD])
{
	const bool is_quantile = strcmp(row->name, "size_quantile") == 0;
	return shown_value(text, row->as,
			   is_quantile ? quantile(a, row, suffix)
				       : find_of(a, row, row->name, suffix, row->key));
}

static void print_row(struct analyze_run *a, const struct text_row *row)
{
	char read[FIELD], write[FIELD], both[FIELD];
	output_printf(&a->out, "%-26s %14s %14s", row->label, field(a, row, "_r", read),
		      field(a, row, "_w", write));
	if (row->both)
		output_printf(&a->out, " %14s", field(a, row, "", both));
	output_text(&a->out, "\n");
}

static void print_rows(struct analyze_run *a, const struct text_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		print_row(a, &rows[i]);
}

static const struct iot_analyze_value *find(const struct analyze_run *a, const char *section,
					    const char *name)
{
	return iot_analyze_find(a->analysis, section, name, NULL);
}

static void print_head(struct analyze_run *a)
{
	const struct iot_analyze_value *time = find(a, "totals", "running_time");
	const struct iot_analyze_value *traces = find(a, "traces", "traces");
	char text[5][FIELD];
	if (traces != NULL)
		output_printf(&a->out, "traces %ju of one job, ", (uintmax_t)traces->number);
	output_printf(&a->out, "processes %s, files %s (%s created), time %s s",
		      shown_value(text[0], COUNT, find(a, "trace", "P")),
		      shown_value(text[1], COUNT, find(a, "totals", "files")),
		      shown_value(text[2], COUNT, find(a, "totals", "created")),
		      shown_value(text[3], REAL, find(a, "trace", "T")));
	if (time->note != NULL && time->kind == IOT_VALUE_REAL && time->note[0] == 'c')
		output_printf(&a->out, ", CPU time %s s", shown_value(text[4], REAL, time));
	if (find(a, "totals", "N")->note != NULL)
		output_printf(&a->out, "; %s", find(a, "totals", "N")->note);
	output_text(&a->out, "\n");
	output_printf(&a->out, "data size %s MB, reads/writes %s in bytes, %s in requests\n\n",
		      shown_value(text[0], REAL, find(a, "totals", "data_size")),
		      shown_value(text[1], REAL, find(a, "totals", "rw_ratio_bytes")),
		      shown_value(text[2], REAL, find(a, "totals", "rw_ratio_requests")));
}

static void print_totals(struct analyze_run *a)
{
	static const struct text_row rows[] =
	    {
		{"requests", "totals", "N", NULL, COUNT, true},
		{"bytes", "totals", "S", NULL, BYTES, true},
		{"mean size", "totals", "avg_size", NULL, BYTES, true},
		{"MB/s of CPU or wall time", "totals", "MB_s", NULL, REAL, true},
		{"requests/s", "totals", "IOs_s", NULL, REAL, true},
	    },
				     special[] = {
					 {"asynchronous", "totals", "asynchronous", NULL, COUNT,
					  true},
					 {"of unknown offset", "totals", "offset_unknown", NULL,
					  COUNT, true},
				     };
	output_printf(&a->out, "%-26s %14s %14s %14s\n", "", "reads", "writes", "all");
	print_rows(a, rows, sizeof rows / sizeof rows[0]);
	for (size_t i = 0; i < sizeof special / sizeof special[0]; i++)
		if (find(a, "totals", special[i].name)->number > 0)
			print_row(a, &special[i]);
}

/* The most common size of a direction, with its share. */
static const char *common_size(const struct analyze_run *a, const char *name, char text[2 * FIELD])
{
	const struct iot_analyze_value *v;
	char size[FIELD];
	for (size_t i = 0; (v = iot_analyze_value(a->analysis, i)) != NULL; i++) {
		if (strcmp(v->name, name) != 0)
			continue;
		printable_bytes(size, sizeof size, strtoull(v->key, NULL, 10));
		snprintf(text, 2 * FIELD, "%s %u %%", size, (unsigned)(100 * v->real + 0.5));
		return text;
	}
	return "-";
}

static void print_common(struct analyze_run *a)
{
	char read[2 * FIELD], write[2 * FIELD];
	output_printf(&a->out, "%-26s %14s %14s\n", "most common",
		      common_size(a, "common_share_r", read),
		      common_size(a, "common_share_w", write));
}

static void print_sizes(struct analyze_run *a)
{
	static const struct text_row rows[] = {
	    {"median", "sizes", "size_quantile", "0.5", BYTES, false},
	    {"up to 4 KiB", "sizes", "small", "4096", PERCENT, false},
	    {"aligned", "sizes", "aligned", NULL, PERCENT, false},
	};
	output_text(&a->out, "request sizes\n");
	print_rows(a, rows, sizeof rows / sizeof rows[0]);
	print_common(a);
}

static uint64_t pattern_requests(const struct analyze_run *a, const char *pattern)
{
	const struct text_row row = {.section = "order", .name = "pattern_requests"};
	return find_of(a, &row, row.name, "_r", pattern)->number +
	       find_of(a, &row, row.name, "_w", pattern)->number;
}

/* The pattern with the most requests. */
static void print_main_pattern(struct analyze_run *a)
{
	static const char *const patterns[][2] = {{"contiguous", "of contiguous streams"},
						  {"simple strided", "of simple strided streams"},
						  {"nested strided", "of nested strided streams"},
						  {"sequential", "of sequential streams"},
						  {"random", "of random streams"},
						  {"short", "of short streams"}};
	uint64_t max = 0;
	size_t largest = 0;
	for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
		const uint64_t n = pattern_requests(a, patterns[i][0]);
		largest = n > max ? i : largest;
		max = n > max ? n : max;
	}
	if (max > 0)
		print_row(a, &(struct text_row){patterns[largest][1], "order", "pattern_requests",
						patterns[largest][0], COUNT, false});
}

static void print_order(struct analyze_run *a)
{
	static const struct text_row rows[] = {
	    {"consecutive", "order", "consecutive", NULL, PERCENT, false},
	    {"backward", "order", "backward", NULL, PERCENT, false},
	};
	char text[3][FIELD];
	output_text(&a->out, "order within open files\n");
	print_rows(a, rows, sizeof rows / sizeof rows[0]);
	output_printf(&a->out,
		      "reads and writes together: sequential %s, same size %s, switches %s\n",
		      shown_value(text[0], PERCENT, find(a, "order", "sequential_M")),
		      shown_value(text[1], PERCENT, find(a, "order", "same_size_M")),
		      shown_value(text[2], PERCENT, find(a, "order", "switches")));
	print_main_pattern(a);
}

/* Null if the trace has no requests over time. */
static const struct iot_analyze_value *find_key(const struct analyze_run *a, const char *name,
						const char *key)
{
	return iot_analyze_find(a->analysis, "time", name, key);
}

static const char *shown_time(char text[FIELD], const struct iot_analyze_value *v)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	if (v == NULL || v->kind == IOT_VALUE_UNKNOWN)
		return "-";
	const double ns = real_of(v);
	const unsigned unit = ns < 1e3 ? 0 : ns < 1e6 ? 1 : ns < 1e9 ? 2 : 3;
	snprintf(text, FIELD, "%.3g %s", ns / pow(1000, unit), units[unit]);
	return text;
}

static void print_bursts(struct analyze_run *a)
{
	char text[4][FIELD];
	output_printf(&a->out, "%-26s %14s with %s of the bytes; %s of the time without I/O\n",
		      "bursts", shown_value(text[0], COUNT, find(a, "time", "bursts")),
		      shown_value(text[1], PERCENT, find(a, "time", "burst_share")),
		      shown_value(text[2], PERCENT, find_key(a, "idle_without", "share")));
	output_printf(&a->out, "%-26s %14s on average, up to %s; longest gap %s\n",
		      "outstanding requests",
		      shown_value(text[0], REAL, find(a, "time", "concurrency_mean")),
		      shown_value(text[1], COUNT, find(a, "time", "concurrency_max")),
		      shown_time(text[2], find_key(a, "idle_gap", "max")));
}

/* The period, or why there is none. */
static void print_pattern(struct analyze_run *a)
{
	const struct iot_analyze_value *pattern = find(a, "cycles", "temporal_pattern"),
				       *period = find(a, "cycles", "period_s");
	char text[4][FIELD];
	if (pattern == NULL || pattern->kind == IOT_VALUE_UNKNOWN)
		return;
	output_printf(&a->out, "%-26s %14.*s ", "temporal pattern", (int)pattern->text.size,
		      pattern->text.data);
	if (period->kind == IOT_VALUE_UNKNOWN)
		output_printf(&a->out, "no period: %s\n", period->note);
	else
		output_printf(&a->out, "period %s s, %s cycles, similarity %s, busy %s of each\n",
			      shown_value(text[0], REAL, period),
			      shown_value(text[1], COUNT, find(a, "cycles", "cycles")),
			      shown_value(text[2], REAL, find(a, "cycles", "similarity")),
			      shown_value(text[3], PERCENT, find(a, "cycles", "duty")));
}

/* Rates of bins, and whether they are bursts. */
static void print_time(struct analyze_run *a)
{
	static const struct text_row rows[] = {
	    {"highest rate, per second", "time", "B_max", NULL, BYTES, true},
	    {"time above 1 MiB/s", "time", "intensity", "1048576", PERCENT, true},
	    {"burstiness", "time", "burstiness", "1048576", REAL, true},
	};
	char text[4][FIELD];
	output_printf(&a->out, "over time, in bins of %s s\n",
		      shown_value(text[0], REAL, find(a, "time", "bin_width")));
	print_rows(a, rows, sizeof rows / sizeof rows[0]);
	output_printf(&a->out, "%-26s %14s of the time of all processes, %s with metadata\n",
		      "in I/O", shown_value(text[1], PERCENT, find(a, "time", "io_share")),
		      shown_value(text[2], PERCENT, find(a, "time", "io_md_share")));
	print_bursts(a);
}

/* The operation with the most calls after `last`; of equal counts, the one used first. */
static const struct iot_analyze_value *next_operation(const struct analyze_run *a,
						      const struct iot_analyze_value *last)
{
	const struct iot_analyze_value *v, *next = NULL;
	for (size_t i = 0; (v = iot_analyze_value(a->analysis, i)) != NULL; i++) {
		if (strcmp(v->section, "metadata") != 0 || strcmp(v->name, "calls") != 0 ||
		    v->key[0] == '\0')
			continue;
		const bool follows = last == NULL || v->number < last->number ||
				     (v->number == last->number && v > last);
		if (follows && (next == NULL || v->number > next->number))
			next = v;
	}
	return next;
}

/* The operations with the most calls; a trace without operations has none. */
static void print_operations(struct analyze_run *a)
{
	enum { SHOWN = 3 };
	const struct iot_analyze_value *v = NULL;
	char text[3][FIELD];
	if (find(a, "metadata", "operations")->number == 0)
		return;
	output_printf(&a->out, "%-26s %14s, %s failed, time %s; calls:", "operations",
		      shown_value(text[0], COUNT, find(a, "metadata", "operations")),
		      shown_value(text[1], COUNT, find(a, "metadata", "operations_failed")),
		      shown_time(text[2], find(a, "metadata", "operations_time")));
	for (unsigned i = 0; i < SHOWN && (v = next_operation(a, v)) != NULL; i++)
		output_printf(&a->out, "%s %ju %s", i > 0 ? "," : "", (uintmax_t)v->number, v->key);
	output_text(&a->out, "\n");
}

/* Value i of a list, such as top_bytes; NULL if it is shorter. */
static const struct iot_analyze_value *list_value(const struct analyze_run *a, const char *section,
						  const char *name, size_t i)
{
	const struct iot_analyze_value *v;
	for (size_t k = 0; (v = iot_analyze_value(a->analysis, k)) != NULL; k++)
		if (strcmp(v->section, section) == 0 && strcmp(v->name, name) == 0 &&
		    v->key[0] != '\0' && i-- == 0)
			return v;
	return NULL;
}

static void print_file(struct analyze_run *a, const char *label, const struct iot_analyze_value *v)
{
	const struct iot_analyze_value *all = find(a, "totals", "S"),
				       *path = iot_analyze_find(a->analysis, "files", "top_path",
								v->key);
	char bytes[FIELD], text[ANALYZE_TEXT_MAX], name[PATH_CAPACITY];
	const struct iot_text shown =
	    path != NULL ? path->text : (struct iot_text){v->key, strlen(v->key)};
	output_printf(&a->out, "%-26s %14s %3.0f %% of the bytes, %s\n", label,
		      printable_bytes(bytes, sizeof bytes, v->number),
		      100 * (double)v->number / (double)all->number,
		      printable(name, sizeof name, text, analyze_decode(text, shown)));
}

/* The process with most of an imbalance, and its share of the mean; unknown: false. */
static bool find_process(const struct analyze_run *a, const char *name, uint64_t *process,
			 double *ratio)
{
	const struct iot_analyze_value *v = iot_analyze_find(a->analysis, "processes", name,
							     "process"),
				       *max = iot_analyze_find(a->analysis, "processes", name,
							       "max_to_mean");
	if (v == NULL || max->kind != IOT_VALUE_REAL)
		return false;
	*process = v->number;
	*ratio = max->real;
	return true;
}

static void print_processes(struct analyze_run *a)
{
	uint64_t process;
	double ratio;
	if (find_process(a, "imbalance_bytes", &process, &ratio))
		output_printf(&a->out, "%-26s %14ju %.2f times the mean", "process with most bytes",
			      (uintmax_t)process, ratio);
	else
		output_printf(&a->out, "%-26s %14s", "process with most bytes", "-");
	if (find_process(a, "imbalance_io_time", &process, &ratio))
		output_printf(&a->out, "; longest in I/O: %ju, %.2f times", (uintmax_t)process,
			      ratio);
	output_text(&a->out, "\n");
}

/* Which files and processes do most of the I/O. */
static void print_largest(struct analyze_run *a)
{
	const struct iot_analyze_value *v = list_value(a, "files", "top_bytes", 0),
				       *strategy = find(a, "files", "strategy");
	char text[2][FIELD];
	output_text(&a->out, "files and processes\n");
	if (v != NULL)
		print_file(a, "file with most bytes", v);
	output_printf(&a->out, "%-26s %14s of %s files", "shared by processes",
		      shown_value(text[0], COUNT, find(a, "files", "shared")),
		      shown_value(text[1], COUNT, find(a, "totals", "files")));
	if (strategy->kind == IOT_VALUE_TEXT)
		output_printf(&a->out, "; strategy %.*s", (int)strategy->text.size,
			      strategy->text.data);
	output_text(&a->out, "\n");
	if (find(a, "trace", "P")->number > 1)
		print_processes(a);
}

static bool has_section(const struct analyze_run *a, const char *section)
{
	const struct iot_analyze_value *v;
	for (size_t i = 0; (v = iot_analyze_value(a->analysis, i)) != NULL; i++)
		if (strcmp(v->section, section) == 0)
			return true;
	return false;
}

/* How often the bytes of files are used, and why. */
static void print_reuse(struct analyze_run *a)
{
	static const char *const classes[] = {"required", "checkpoint", "swapping", "rewritten"};
	char text[FIELD];
	output_printf(&a->out, "%-26s %14s", "footprint",
		      shown_value(text, BYTES, find(a, "reuse", "footprint")));
	output_printf(&a->out,
		      " used %s times:", shown_value(text, REAL, find(a, "reuse", "reuse")));
	for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
		output_printf(
		    &a->out, "%s %s %s", i > 0 ? "," : "", classes[i],
		    shown_value(text, PERCENT,
				iot_analyze_find(a->analysis, "classes", "share", classes[i])));
	output_text(&a->out, "\n");
}

/* In the lines that are left of a screen, if there is more than them. */
static void print_findings(struct analyze_run *a)
{
	size_t lines = 1, left = SCREEN_FINDINGS;
	for (size_t i = 0; i < a->out.used; i++)
		lines += a->out.data[i] == '\n';
	if (has_section(a, "time") && has_section(a, "order"))
		left = lines + left < SCREEN_LINES ? SCREEN_LINES - lines : left;
	else
		left = SIZE_MAX;
	output_text(&a->out, "\n");
	analyze_findings_print(&a->out, a->analysis, left);
}

static void print_text(struct analyze_run *a)
{
	print_head(a);
	print_totals(a);
	if (has_section(a, "metadata"))
		print_operations(a);
	if (has_section(a, "reuse") && has_section(a, "classes"))
		print_reuse(a);
	if (has_section(a, "sizes"))
		print_sizes(a);
	if (has_section(a, "order"))
		print_order(a);
	if (has_section(a, "time"))
		print_time(a);
	else if (has_section(a, "cycles"))
		output_text(&a->out, "\n");
	print_pattern(a);
	if (has_section(a, "files") && has_section(a, "processes") && !a->hides_files)
		print_largest(a);
	if (has_section(a, "findings"))
		print_findings(a);
}

/* The command */

static void warn_of(const struct analyze_run *a, const char *section, const char *name,
		    const char *sentence)
{
	const struct iot_analyze_value *v = find(a, section, name);
	if (v != NULL && v->number > 0)
		message_print("warning: %ju %s", (uintmax_t)v->number, sentence);
}

static void warn(const struct analyze_run *a)
{
	warn_of(a, "trace", "left_out_logical", "logical records are left out");
	warn_of(a, "trace", "left_out_physical", "physical records are left out; see --physical");
	warn_of(a, "trace", "left_out", "requests of another layer are left out; see --layer");
	warn_of(a, "trace", "lost", "%lost: the trace is incomplete");
	warn_of(a, "totals", "out_of_order",
		"records or operations start before the previous one; see 'iotrace reorder'");
}

/* Parts, see iot_reader_fold */

static void *begin_part(void *context)
{
	const struct analyze_run *a = context;
	struct iot_analyze_options options = a->options;
	options.part = 1;
	options.epoch_ns = a->epoch_ns;
	options.bins = a->bins;
	options.trace_id = options.from = options.to = options.stored = 0; /* join_part knows */
	return iot_analyze_new(&options);
}

static int add_events(void *part, const struct iot_event *ev, size_t n)
{
	return iot_analyze_events(part, ev, n);
}

static void drop_part(void *context, void *part)
{
	(void)context;
	iot_analyze_free(part);
}

static int join_part(void *context, void *part)
{
	struct analyze_run *a = context;
	const int status = iot_analyze_join(a->analysis, part);
	a->bins = iot_analyze_bins(a->analysis);
	trace_in_show_progress(&a->in);
	return status;
}

/* Stores epoch= of a %trace, unless there was one. Returns whether a time precedes the next. */
static bool read_epoch(const struct iot_event *ev, uint64_t *epoch_ns)
{
	const struct iot_text text = iot_directive_get(ev, "epoch");
	uint64_t epoch;
	if (ev->kind == IOT_TRACE && *epoch_ns == 0 && text.data != NULL &&
	    number_decimal(text.data, text.size, &epoch) && epoch <= INT64_MAX)
		*epoch_ns = epoch;
	return (ev->kind == IOT_RECORD && (ev->rec.flags & IOT_START_UNKNOWN) == 0) ||
	       (ev->kind == IOT_OP && (ev->has & IOT_HAS_TIME) != 0);
}

/* Parts do not include the %trace before the first record, whose epoch applies to their bins. */
static uint64_t epoch_of(const char *path)
{
	struct iot_reader *r = iot_reader_new();
	struct iot_event ev;
	uint64_t epoch_ns = 0;
	ssize_t n = r != NULL ? iot_reader_open(r, path) : IOT_ENOMEM;
	while (n >= 0 && (n = iot_reader_events(r, &ev, 1)) > 0 && !read_epoch(&ev, &epoch_ns))
		;
	iot_reader_free(r);
	return epoch_ns;
}

static int analyze_parts(struct analyze_run *a, const char *path)
{
	const struct iot_fold fold = {a, begin_part, add_events, join_part, drop_part};
	a->epoch_ns = epoch_of(path);
	trace_in_fold(&a->in, &fold);
	progress_clear(&a->in.progress);
	return a->in.status == IOT_ENOMEM ? IOT_ENOMEM : IOT_OK;
}

/* Returns a status; an error of the trace is reported, and kept in a->in.status. */
static int analyze(struct analyze_run *a, const char *path)
{
	struct iot_event ev[TRACE_IN_BATCH];
	size_t n;
	int status = IOT_OK;
	if (a->part.n == 1 && a->read.threads > 1 && trace_in_seekable(&a->in) &&
	    strcmp(path, "-") != 0)
		return analyze_parts(a, path);
	n = trace_in_events(&a->in, ev, 1);
	if (n == 1 && analyze_state_begins(ev))
		return analyze_state_load(a->analysis, &a->in, ev) == EXIT_OK ? IOT_OK
									      : IOT_EFORMAT;
	for (; status == IOT_OK && n > 0; n = trace_in_events(&a->in, ev, TRACE_IN_BATCH))
		status = iot_analyze_events(a->analysis, ev, n);
	progress_clear(&a->in.progress);
	return status;
}

/* Tables of --by, and the section that each needs. */
static const enum iot_analyze_by table_by[] = {IOT_ANALYZE_BY_PROCESS, IOT_ANALYZE_BY_NODE,
					       IOT_ANALYZE_BY_FILE, IOT_ANALYZE_BY_OPERATION};
static const uint32_t table_sections[] = {IOT_ANALYZE_PROCESSES, IOT_ANALYZE_PROCESSES,
					  IOT_ANALYZE_FILES, IOT_ANALYZE_METADATA};

static int print_table(struct analyze_run *a)
{
	const enum analyze_form form = a->json ? ANALYZE_JSON : a->tsv ? ANALYZE_TSV : ANALYZE_TEXT;
	if (a->top == NOT_GIVEN && form == ANALYZE_TEXT && isatty(STDOUT_FILENO))
		a->top = TOP_ON_TERMINAL;
	return analyze_table_print(&a->out, a->analysis, table_by[a->by], form, a->top);
}

/* Returns an enum iot_status. */
static int print(struct analyze_run *a)
{
	if (!a->in.quiet)
		warn(a);
	if (a->by != NOT_BY)
		return print_table(a);
	if (a->json)
		print_json(a);
	else if (a->tsv)
		print_tsv(a);
	else
		print_text(a);
	return IOT_OK;
}

static enum exit_status write_html(struct analyze_run *a, const struct plot_data *data)
{
	enum { ROWS = 20 };
	const struct report_options options = {.path = a->html,
					       .how = a->no_fsync ? ATOMIC_FILE_NO_SYNC : 0,
					       .rows = a->top == NOT_GIVEN ? ROWS : (size_t)a->top,
					       .damaged = a->in.status != IOT_OK};
	return report_write(data, &options);
}

/* Writes the report as HTML, and plots. */
static enum exit_status write_pictures(struct analyze_run *a)
{
	struct plot_data data;
	enum exit_status status = EXIT_OK;
	if (iot_analyze_finish(a->analysis) != IOT_OK)
		return message_no_memory();
	if (!a->in.quiet)
		warn(a);
	if (a->in.status != IOT_OK && find(a, "totals", "N")->number == 0)
		return EXIT_OK; /* the error is all there is to report */
	if (plot_data_make(&data, a->analysis, a->options.interval_ns != 0) != IOT_OK)
		status = message_no_memory();
	if (status == EXIT_OK && a->plots != NULL)
		status =
		    plots_write(&data, a->plots, a->png, a->no_fsync ? ATOMIC_FILE_NO_SYNC : 0);
	if (status == EXIT_OK && a->html != NULL)
		status = write_html(a, &data);
	plot_data_free(&data);
	return status;
}

/* Prints the report, or writes the state. */
static enum exit_status report(struct analyze_run *a, const struct command_spec *command)
{
	if (a->state != NULL)
		return analyze_state_save(a->analysis, a->state, a->no_fsync, command);
	if (a->plots != NULL || a->html != NULL)
		return write_pictures(a);
	enum exit_status status = output_open(&a->out, "-", 0);
	if (status != EXIT_OK)
		return status;
	if (iot_analyze_finish(a->analysis) != IOT_OK) {
		output_abandon(&a->out);
		return message_no_memory();
	}
	/* Without any request, an error is all there is to report. */
	if ((a->in.status == IOT_OK || find(a, "totals", "N")->number > 0) && print(a) != IOT_OK) {
		output_abandon(&a->out);
		return message_no_memory();
	}
	return output_close(&a->out);
}

/* A state of a damaged trace says so. */
static int mark_damage(struct analyze_run *a)
{
	static const char lost[] = "%lost why=damaged";
	const struct iot_event ev = {.kind = IOT_LOST, .text = {lost, sizeof lost - 1}};
	if (a->state == NULL || a->in.status == IOT_OK)
		return IOT_OK;
	return iot_analyze_events(a->analysis, &ev, 1);
}

/* Limits the input to the part, and stores which one it is. */
static enum exit_status choose_part(struct analyze_run *a, const char *path,
				    const struct command_spec *command)
{
	struct iot_part part;
	const bool whole = a->part.n == 1;
	if (whole && a->state == NULL)
		return EXIT_OK;
	const int status = whole || strcmp(path, "-") != 0
			       ? iot_reader_part(a->in.reader, a->part.k, a->part.n, &part)
			       : IOT_EUSAGE;
	if (status == IOT_EUSAGE)
		return options_wrong(command, "--part needs a trace in a regular file");
	if (status != IOT_OK) {
		message_print("%s", iot_reader_error(a->in.reader));
		return EXIT_FAULT;
	}
	if (a->part.n > 1 && a->part.k == 1 && part.to == part.stored && !a->read.quiet)
		message_print("warning: the trace has no %%sync to be cut at, so all of it is "
			      "part 1; see 'iotrace cat --framed'");
	a->options.trace_id = part.trace_id;
	a->options.from = part.from;
	a->options.to = part.to;
	a->options.stored = part.stored;
	a->options.part = a->part.k > 1;
	a->options.epoch_ns = a->part.k > 1 ? epoch_of(path) : 0;
	return EXIT_OK;
}

/* Stores the analysis of a trace, or of what precedes its damage: then returns EXIT_FAULT. */
static enum exit_status analyze_trace(struct analyze_run *a, const char *path,
				      const struct command_spec *command)
{
	enum exit_status status = trace_in_open(&a->in, path, &a->read, command);
	if (status == EXIT_OK)
		status = choose_part(a, path, command);
	a->analysis = status == EXIT_OK ? iot_analyze_new(&a->options) : NULL;
	if (status == EXIT_OK && a->analysis == NULL)
		status = message_no_memory();
	if (status != EXIT_OK)
		return status;
	const int analyzed = analyze(a, path);
	if (analyzed == IOT_EFORMAT) { /* a state, which has been reported */
		iot_analyze_free(a->analysis);
		a->analysis = NULL;
		return EXIT_FAULT;
	}
	if (analyzed != IOT_OK || mark_damage(a) != IOT_OK)
		return message_no_memory();
	return trace_in_exit(&a->in);
}

static enum exit_status run_trace(struct analyze_run *a, const char *path,
				  const struct command_spec *command)
{
	const enum exit_status analyzed = analyze_trace(a, path, command);
	const bool any = a->analysis != NULL && (analyzed == EXIT_OK || analyzed == EXIT_FAULT);
	const enum exit_status status = any ? report(a, command) : analyzed;
	trace_in_close(&a->in);
	return status != EXIT_OK ? status : analyzed;
}

/* One of several inputs. */
struct one_input {
	struct analyze_run *run;
	const struct command_spec *command;
};

static enum exit_status analyze_one(void *context, const char *path, struct iot_analyze **to)
{
	const struct one_input *one = context;
	struct analyze_run *a = one->run;
	const enum exit_status status = analyze_trace(a, path, one->command);
	*to = a->analysis;
	a->analysis = NULL;
	trace_in_close(&a->in);
	return status;
}

static enum analyze_form form_of(const struct analyze_run *a)
{
	return a->json ? ANALYZE_JSON : a->tsv ? ANALYZE_TSV : ANALYZE_TEXT;
}

static enum exit_status report_jobs(struct analyze_run *a, struct analyze_jobs *jobs)
{
	const enum exit_status status = output_open(&a->out, "-", 0);
	if (status != EXIT_OK)
		return status;
	if (analyze_jobs_print(jobs, &a->out, form_of(a), a->by == BY_JOB, a->top) != IOT_OK) {
		output_abandon(&a->out);
		return message_no_memory();
	}
	return output_close(&a->out);
}

static enum exit_status run_inputs(struct analyze_run *a, char **paths, size_t count,
				   const struct command_spec *command)
{
	struct one_input one = {a, command};
	struct analyze_inputs inputs = {.paths = paths,
					.count = count,
					.read = &a->read,
					.options = &a->options,
					.command = command,
					.one_job = a->one_job,
					.analyze = analyze_one,
					.context = &one};
	struct analyze_jobs jobs = {.job = NULL};
	if (a->part.n > 1)
		return options_wrong(command, "--part is that of one trace");
	if (a->state == NULL && a->plots == NULL && a->html == NULL &&
	    (a->by == NOT_BY || a->by == BY_JOB))
		inputs.jobs = &jobs;
	if (count > 1 && a->options.sections != 0) {
		a->hides_files = (a->options.sections & IOT_ANALYZE_FILES) == 0;
		a->options.sections |= IOT_ANALYZE_FILES;
	}
	inputs.by_job = a->by == BY_JOB;
	struct iot_analyze *all = NULL;
	enum exit_status status = analyze_inputs_join(&inputs, &all);
	a->analysis = all;
	a->in.quiet = a->read.quiet;
	a->in.status = IOT_OK;
	if (status == EXIT_OK)
		status = all != NULL ? report(a, command) : report_jobs(a, &jobs);
	analyze_jobs_free(&jobs);
	if (status != EXIT_OK || !inputs.incomplete || a->state != NULL)
		return status;
	message_print("the report is incomplete: parts of a trace are missing or damaged");
	return EXIT_FAULT;
}

static enum exit_status run(struct analyze_run *a, char **paths, size_t count,
			    const struct command_spec *command)
{
	a->options.size = sizeof a->options;
	a->options.physical = a->physical;
	a->options.per_thread = a->per_thread;
	a->options.layer = (uint32_t)a->layer;
	a->options.runtime_ns = a->runtime_s * NS_PER_S;
	a->options.top = a->top == NOT_GIVEN ? 0 : a->top;
	if (a->by != NOT_BY && a->by != BY_JOB)
		a->options.sections = table_sections[a->by];
	if (a->by == BY_JOB && (a->state != NULL || count == 0))
		return options_wrong(command,
				     "--by=job needs inputs that are files, and no --state");
	const enum exit_status status =
	    count > 1 || a->by == BY_JOB || (count == 1 && analyze_is_state(paths[0]))
		? run_inputs(a, paths, count, command)
		: run_trace(a, count == 1 ? paths[0] : "-", command);
	iot_analyze_free(a->analysis);
	return status;
}

/* Parses K/N into the struct part_of target. */
static const char *option_part(const struct option *opt, const char *value)
{
	enum { PARTS_MAX = 1000000 };
	struct part_of *part = opt->target;
	const char *at = value, *end = value + strlen(value);
	if (number_scan(&at, end, 10, &part->k) && at < end && *at++ == '/' &&
	    number_scan(&at, end, 10, &part->n) && at == end && part->k >= 1 &&
	    part->k <= part->n && part->n <= PARTS_MAX)
		return NULL;
	return "K/N, the K-th of N parts, such as 3/64";
}

/* Parses "totals,sizes,order" into the uint32_t target. */
static const char *option_section(const struct option *opt, const char *value)
{
	static const struct {
		const char *name;
		uint32_t bit;
	} sections[] = {{"totals", IOT_ANALYZE_TOTALS},       {"sizes", IOT_ANALYZE_SIZES},
			{"order", IOT_ANALYZE_ORDER},         {"time", IOT_ANALYZE_TIME},
			{"metadata", IOT_ANALYZE_METADATA},   {"files", IOT_ANALYZE_FILES},
			{"processes", IOT_ANALYZE_PROCESSES}, {"reuse", IOT_ANALYZE_REUSE},
			{"cycles", IOT_ANALYZE_CYCLES},       {"classes", IOT_ANALYZE_CLASSES},
			{"counters", IOT_ANALYZE_COUNTERS},   {"findings", IOT_ANALYZE_FINDINGS}};
	static const char expected[] = "totals, sizes, order, time, cycles, metadata, files, "
				       "processes, reuse, classes, counters, "
				       "findings, or a list of these";
	uint32_t *bits = opt->target, found = 1;
	for (const char *at = value; found != 0; at += strcspn(at, ",") + 1) {
		const size_t n = strcspn(at, ",");
		found = 0;
		for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
			if (strlen(sections[i].name) == n && memcmp(sections[i].name, at, n) == 0)
				found = sections[i].bit;
		*bits |= found;
		if (found != 0 && at[n] == '\0')
			return NULL;
	}
	return expected;
}

/* Parses a power of two into the uint64_t target. */
static const char *option_alignment(const struct option *opt, const char *value)
{
	char *end;
	const uint64_t n = strtoull(value, &end, 10);
	*(uint64_t *)opt->target = n;
	return *value >= '0' && *value <= '9' && *end == '\0' && n > 0 && (n & (n - 1)) == 0
		   ? NULL
		   : "a power of two, in bytes";
}

static const char notes[] =
    "A request is a record of a read or write of file data. Rates are per second of CPU time if\n"
    "the trace has CPU clocks, else of wall time. Data size: the sum of the highest offsets that\n"
    "requests of each file reach. Consecutive: at the end of the previous request of the same\n"
    "direction in the same open file; patterns are those of all requests of one direction in one\n"
    "open file.\n"
    "Over time: bins of one second, or more for long traces. Burstiness: 0 if every bin, 1 if no\n"
    "bin has more than 1 MiB/s. In I/O: the union of the synchronous requests of a process.\n"
    "Bursts: runs of fine bins with more than a tenth of the median of the bins with bytes.\n"
    "Footprint: different bytes of files. Swapping: read again, or written and read later.\n"
    "Checkpoint: written again and again, or to files that differ by numbers, and seldom read.\n"
    "Shared: by several processes; N-1, N-M, N-N: most bytes are in files of all, several or\n"
    "one process.\n"
    "Operations: those that are no reads or writes, the sum of their times, and the most calls.\n"
    "A value that cannot be computed is \"-\" (json: null); tsv states the reason as a note.\n"
    "tsv: section, name, key, unit, value, note. json: {SECTION: {NAME: VALUE}}, or {NAME:\n"
    "{KEY: VALUE}} where a name has several values, by size or pattern.\n"
    "iotrace-analyze(1) defines all values.\n";

static const char examples[] =
    "  iotrace analyze app.iot.zst                             one screen\n"
    "  iotrace analyze --json app.iot.zst | jq .totals.MB_s    one value\n"
    "  iotrace analyze --section=sizes --tsv app.iot.zst       all values of a section\n"
    "  iotrace analyze --by=file --top=5 app.iot.zst           the files with most bytes\n"
    "  iotrace analyze --html=app.html app.iot.zst             a report with plots\n"
    "  iotrace analyze --threads=4 app.iot.zst                 on four processors\n"
    "  iotrace analyze app.darshan                             a log of another tool\n";

enum exit_status cmd_analyze(int argc, char **argv)
{
	struct analyze_run a = {
	    .read = TRACE_IN_WHOLE_INIT, .part = {1, 1}, .by = NOT_BY, .top = NOT_GIVEN};
	const struct option options[] = {
	    OPTION(FLAG, 'j', "json", NULL, &a.json, "print all values as JSON"),
	    OPTION(FLAG, 't', "tsv", NULL, &a.tsv, "print all values as rows separated by tabs"),
	    OPTION(STRING, 's', "state", "FILE", &a.state,
		   "write the state to FILE instead of a report (.gz, .zst: compressed)"),
	    OPTION(STRING, 0, "html", "FILE", &a.html, "write an HTML report with plots to FILE"),
	    OPTION(STRING, 0, "plots", "DIR", &a.plots,
		   "write plots, and their data, to files in DIR"),
	    OPTION(FLAG, 0, "png", NULL, &a.png, "make PNG images of the plots, too"),
	    CALL("part", "K/N", &a.part, "analyze only the K-th of N parts, cut at %syncs",
		 option_part),
	    CALL("section", "LIST", &a.options.sections,
		 "compute only these: totals, sizes, order, time, cycles, metadata, files, "
		 "processes, reuse, classes, counters, findings",
		 option_section),
	    OPTION(CHOICE, 'b', "by", "process|node|file|op|job", &a.by,
		   "print a table by this instead, most bytes first; op: most time first"),
	    RANGE(NUMBER, 0, "top", "N", &a.top,
		  "rows of the table (default: 20 on a terminal), or of lists (default: 10)", 1,
		  UINT32_MAX),
	    OPTION(CHOICE, 0, "layer", "lowest|posix|mpiio", &a.layer,
		   "analyze the requests of this layer (default: lowest)"),
	    OPTION(FLAG, 0, "physical", NULL, &a.physical,
		   "analyze physical records instead of logical ones"),
	    OPTION(FLAG, 0, "per-thread", NULL, &a.per_thread,
		   "do not add threads to their processes"),
	    OPTION(FLAG, 0, "one-job", NULL, &a.one_job,
		   "several inputs are traces of one job, even if they do not declare it"),
	    RANGE(SIZE, 0, "small", "SIZE", &a.options.small, "largest small request (default: 1M)",
		  1, UINT64_MAX),
	    RANGE(SIZE, 0, "large", "SIZE", &a.options.large,
		  "smallest extent of a large file (default: 4M)", 1, UINT64_MAX),
	    CALL("alignment", "N", &a.options.alignment,
		 "bytes of alignment, a power of two (default: 4096)", option_alignment),
	    RANGE(NUMBER, 0, "runtime", "S", &a.runtime_s,
		  "run time of the job in seconds (default: from the trace)", 1,
		  UINT64_MAX / NS_PER_S),
	    CALL("interval", "TIME", &a.options.interval_ns,
		 "width of the bins over time, such as 30s (default: 1s)", option_duration),
	    RANGE(NUMBER, 0, "nodes", "N", &a.options.nodes,
		  "nodes of the job (default: the hosts of its processes)", 1, UINT32_MAX),
	    RANGE(NUMBER, 0, "threads", "N", &a.read.threads,
		  "analyze parts between %syncs on N threads, and join them", 1, 256),
	    OPTION_NO_FSYNC(a.no_fsync),
	    OPTION_QUIET(a.read.quiet, a.read.progress),
	    GROUP("Reading"),
	    OPTION_READING(a.read),
	    OPTIONS_END,
	};
	const struct command_spec command = {
	    .name = "analyze",
	    .summary = "Compute rates, request sizes, and the order of requests",
	    .synopsis = "[OPTION]... [IN]...\n[OPTION]... STATE...",
	    .options = options,
	    .notes = notes,
	    .examples = examples,
	};
	size_t count;
	enum exit_status status;
	if (!options_parse(&command, argc, argv, &count, &status))
		return status;
	if (a.by != NOT_BY && a.options.sections != 0)
		return options_wrong(&command, "--by and --section exclude each other");
	if (a.json && a.tsv)
		return options_wrong(&command, "--json and --tsv exclude each other");
	if (a.state != NULL && (a.json || a.tsv))
		return options_wrong(&command, "--state writes no report: no --json or --tsv");
	if (a.plots != NULL && (a.json || a.tsv || a.by != NOT_BY || a.state != NULL))
		return options_wrong(
		    &command, "--plots replaces the report: no --json, --tsv, --by or --state");
	if (a.png && a.plots == NULL)
		return options_wrong(&command, "--png needs --plots");
	if (a.part.n > 1 && a.read.threads > 1)
		return options_wrong(&command, "--part and --threads exclude each other");
	return run(&a, argv, count, &command);
}
