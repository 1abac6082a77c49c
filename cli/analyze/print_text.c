/* SPDX-License-Identifier: BSD-2-Clause */
/* One screen: most rows have a column for reads, one for writes and one for both. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ui/printable.h"
#include "lib/base/significant.h"
#include "lib/result/metrics.h"
#include "lib/result/names.h"
#include "findings.h"
#include "map.h"
#include "print_samples.h"
#include "print_ties.h"
#include "results.h"
#include "shown.h"
#include "text_rows.h"

enum { FIELD = SHOWN_FIELD, PATH_CAPACITY = 512 };
enum { SCREEN_LINES = 40, SCREEN_FINDINGS = 4 /* lines, at least */ };

static const struct iot_analyze_value *find(const struct analyze_results *a, const char *section,
					    const char *name)
{
	return iot_analyze_find(a->analysis, section, name, NULL);
}

/* Follows values of files that only a sample has, if there are more of them than fit. */
static const char *of_the_sample(const struct analyze_results *a)
{
	return find(a, VALUE(limits, files)) != NULL ? " of the sample" : "";
}

/* Returns whether rates are per second of CPU time. */
static bool uses_cpu_time(const struct analyze_results *a)
{
	const struct iot_analyze_value *time = find(a, VALUE(totals, running_time_s));
	return time->note != NULL && time->kind == IOT_VALUE_REAL && time->note[0] == 'c';
}

static void print_incomplete(struct analyze_results *a)
{
	const uintmax_t gaps = find(a, VALUE(trace, gaps))->number,
			records = find(a, VALUE(trace, lost_records))->number;
	if (gaps == 0)
		return;
	output_printf(&a->out, "; incomplete: %ju %s, ", gaps, gaps == 1 ? "gap" : "gaps");
	if (records > 0)
		output_printf(&a->out, "at least %ju records lost", records);
	else
		output_text(&a->out, "number of lost records unknown");
}

static void print_unseen(struct analyze_results *a)
{
	struct unseen u;
	char sentence[UNSEEN_TEXT], text[4 * UNSEEN_TEXT];
	shown_unseen(a->analysis, &u);
	if (!unseen_any(&u))
		return;
	(void)unseen_sentence(&u, sentence);
	output_printf(&a->out, "%s: %s; %s\n", unseen_state_name(&u),
		      printable(text, sizeof text, sentence, strlen(sentence)), unseen_remedy(&u));
}

static void print_head(struct analyze_results *a)
{
	const struct iot_analyze_value *traces = find(a, VALUE(traces, traces));
	char text[5][FIELD];
	if (traces != NULL)
		output_printf(&a->out, "traces %ju of one job, ", (uintmax_t)traces->number);
	output_printf(&a->out, "processes %s, files %s (%s created), time %s s",
		      shown_value(text[0], SHOWN_COUNT, find(a, VALUE(trace, processes))),
		      shown_value(text[1], SHOWN_COUNT, find(a, VALUE(totals, files))),
		      shown_value(text[2], SHOWN_COUNT, find(a, VALUE(totals, created))),
		      shown_value(text[3], SHOWN_REAL, find(a, VALUE(trace, run_time_s))));
	if (uses_cpu_time(a))
		output_printf(
		    &a->out, ", CPU time %s s",
		    shown_value(text[4], SHOWN_REAL, find(a, VALUE(totals, running_time_s))));
	if (find(a, VALUE(totals, requests))->note != NULL)
		output_printf(&a->out, "; %s", find(a, VALUE(totals, requests))->note);
	print_incomplete(a);
	output_text(&a->out, "\n");
	print_unseen(a);
	output_printf(
	    &a->out, "data size %s, reads/writes %s in bytes, %s in requests\n\n",
	    shown_value(text[0], SHOWN_BYTES, find(a, VALUE(totals, extent_bytes))),
	    shown_value(text[1], SHOWN_REAL, find(a, VALUE(totals, read_to_written_bytes))),
	    shown_value(text[2], SHOWN_REAL, find(a, VALUE(totals, reads_to_writes))));
}

static void print_totals(struct analyze_results *a)
{
	static const struct text_row special[] = {
	    {"asynchronous", VALUE(totals, asynchronous_requests), NULL, SHOWN_COUNT, true},
	    {"of unknown offset", VALUE(totals, unknown_offsets), NULL, SHOWN_COUNT, true},
	};
	const struct text_row rows[] = {
	    {"requests", VALUE(totals, requests), NULL, SHOWN_COUNT, true},
	    {"bytes", VALUE(totals, bytes), NULL, SHOWN_BYTES, true},
	    {"mean size", VALUE(totals, size_mean), NULL, SHOWN_BYTES, true},
	    {uses_cpu_time(a) ? "per second of CPU time" : "per second of wall time",
	     VALUE(totals, bytes_per_running_s), NULL, SHOWN_BYTES, true},
	    {"requests/s", VALUE(totals, requests_per_running_s), NULL, SHOWN_REAL, true},
	};
	output_printf(&a->out, "%-26s %14s %14s %14s\n", "", "reads", "writes", "all");
	text_rows_print(a, rows, sizeof rows / sizeof rows[0]);
	for (size_t i = 0; i < sizeof special / sizeof special[0]; i++)
		if (find(a, SECTION_OF(totals), special[i].name)->number > 0)
			text_rows_print(a, &special[i], 1);
}

/* The most common size of a direction, with its share. */
static const char *common_size(const struct analyze_results *a, const char *name,
			       char text[2 * FIELD])
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

static void print_common(struct analyze_results *a)
{
	char read[2 * FIELD], write[2 * FIELD];
	output_printf(&a->out, "%-26s %14s %14s\n", "most common",
		      common_size(a, NAME_OF(read_common_size_share), read),
		      common_size(a, NAME_OF(write_common_size_share), write));
}

static void print_sizes(struct analyze_results *a)
{
	static const struct text_row rows[] = {
	    {"median", VALUE(sizes, size_quantile), "0.5", SHOWN_BYTES, false},
	    {"up to 4 KiB", VALUE(sizes, small_share), "4096", SHOWN_PERCENT, false},
	    {"aligned", VALUE(sizes, aligned_share), NULL, SHOWN_PERCENT, false},
	};
	output_text(&a->out, "request sizes\n");
	text_rows_print(a, rows, sizeof rows / sizeof rows[0]);
	print_common(a);
}

static uint64_t pattern_requests(const struct analyze_results *a, const char *pattern)
{
	const struct text_row row = {.section = SECTION_OF(order),
				     .name = NAME_OF(pattern_requests)};
	return text_row_find(a, &row, row.name, IOT_READS, pattern)->number +
	       text_row_find(a, &row, row.name, IOT_WRITES, pattern)->number;
}

/* The pattern with the most requests. */
static void print_main_pattern(struct analyze_results *a)
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
		text_rows_print(a,
				&(struct text_row){patterns[largest][1],
						   VALUE(order, pattern_requests),
						   patterns[largest][0], SHOWN_COUNT, false},
				1);
}

static void print_order(struct analyze_results *a)
{
	static const struct text_row rows[] = {
	    {"consecutive", VALUE(order, consecutive_share), NULL, SHOWN_PERCENT, false},
	    {"backward", VALUE(order, backward_share), NULL, SHOWN_PERCENT, false},
	};
	char text[3][FIELD];
	output_text(&a->out, "order within open files\n");
	text_rows_print(a, rows, sizeof rows / sizeof rows[0]);
	output_printf(&a->out,
		      "reads and writes together: sequential %s, same size %s, switches %s\n",
		      shown_value(text[0], SHOWN_PERCENT, find(a, VALUE(order, sequential_share))),
		      shown_value(text[1], SHOWN_PERCENT, find(a, VALUE(order, same_size_share))),
		      shown_value(text[2], SHOWN_PERCENT, find(a, VALUE(order, switch_share))));
	print_main_pattern(a);
}

/* Null if the trace has no requests over time. */
static const struct iot_analyze_value *find_key(const struct analyze_results *a, const char *name,
						const char *key)
{
	return iot_analyze_find(a->analysis, SECTION_OF(time), name, key);
}

static void print_bursts(struct analyze_results *a)
{
	char text[4][FIELD];
	output_printf(
	    &a->out, "%-26s %14s with %s of the bytes; no I/O in %s of the bins\n", "bursts",
	    shown_value(text[0], SHOWN_COUNT, find(a, VALUE(time, bursts))),
	    shown_value(text[1], SHOWN_PERCENT, find(a, VALUE(time, burst_byte_share))),
	    shown_value(text[2], SHOWN_PERCENT, find_key(a, NAME_OF(idle_without_io), "share")));
	output_printf(&a->out, "%-26s %14s on average, up to %s; longest gap %s\n",
		      "outstanding requests",
		      shown_value(text[0], SHOWN_REAL, find(a, VALUE(time, concurrency_mean))),
		      shown_value(text[1], SHOWN_COUNT, find(a, VALUE(time, concurrency_max))),
		      shown_time(text[2], find_key(a, NAME_OF(idle_gap_ns), "max")));
}

/* The period, or why there is none. */
static void print_pattern(struct analyze_results *a)
{
	const struct iot_analyze_value *pattern = find(a, VALUE(cycles, temporal_pattern)),
				       *period = find(a, VALUE(cycles, period_s));
	char text[4][FIELD];
	if (pattern == NULL || pattern->kind == IOT_VALUE_UNKNOWN)
		return;
	output_printf(&a->out, "%-26s %14.*s; ", "temporal pattern", (int)pattern->text.size,
		      pattern->text.data);
	if (period->kind == IOT_VALUE_UNKNOWN)
		output_printf(&a->out, "no period: %s\n", period->note);
	else
		output_printf(
		    &a->out, "period %s s, %s cycles, similarity %s, busy %s of each\n",
		    shown_value(text[0], SHOWN_REAL, period),
		    shown_value(text[1], SHOWN_COUNT, find(a, VALUE(cycles, cycles))),
		    shown_value(text[2], SHOWN_REAL, find(a, VALUE(cycles, similarity))),
		    shown_value(text[3], SHOWN_PERCENT, find(a, VALUE(cycles, duty_share))));
}

/* Rates of bins, and whether they are bursts. */
static void print_time(struct analyze_results *a)
{
	static const struct text_row rows[] = {
	    {"highest rate, per second", VALUE(time, bytes_per_s_max), NULL, SHOWN_BYTES, true},
	    {"time above 1 MiB/s", VALUE(time, intensity), "1048576", SHOWN_PERCENT, true},
	    {"burstiness", VALUE(time, burstiness), "1048576", SHOWN_REAL, true},
	};
	char text[4][FIELD];
	output_printf(&a->out, "over time, in bins of %s s\n",
		      shown_value(text[0], SHOWN_REAL, find(a, VALUE(time, bin_width_s))));
	text_rows_print(a, rows, sizeof rows / sizeof rows[0]);
	output_printf(&a->out, "%-26s %14s of the time of all processes, %s with metadata\n",
		      "in I/O", shown_value(text[1], SHOWN_PERCENT, find(a, VALUE(time, io_share))),
		      shown_value(text[2], SHOWN_PERCENT, find(a, VALUE(time, call_share))));
	print_bursts(a);
}

/* The operation with the most calls after `last`; of equal counts, the one used first. */
static const struct iot_analyze_value *next_operation(const struct analyze_results *a,
						      const struct iot_analyze_value *last)
{
	const struct iot_analyze_value *v, *next = NULL;
	for (size_t i = 0; (v = iot_analyze_value(a->analysis, i)) != NULL; i++) {
		if (strcmp(v->section, SECTION_OF(metadata)) != 0 ||
		    strcmp(v->name, NAME_OF(calls)) != 0 || v->key[0] == '\0')
			continue;
		const bool follows = last == NULL || v->number < last->number ||
				     (v->number == last->number && v > last);
		if (follows && (next == NULL || v->number > next->number))
			next = v;
	}
	return next;
}

/* The operations with the most calls; a trace without operations has none. */
static void print_operations(struct analyze_results *a)
{
	enum { SHOWN = 3 };
	const struct iot_analyze_value *v = NULL;
	char text[3][FIELD];
	if (!(shown_known(find(a, VALUE(metadata, operations))) > 0))
		return;
	output_printf(
	    &a->out, "%-26s %14s, %s failed, time %s; calls:", "operations",
	    shown_value(text[0], SHOWN_COUNT, find(a, VALUE(metadata, operations))),
	    shown_value(text[1], SHOWN_COUNT, find(a, VALUE(metadata, failed_operations))),
	    shown_time(text[2], find(a, VALUE(metadata, operations_ns))));
	for (unsigned i = 0; i < SHOWN && (v = next_operation(a, v)) != NULL; i++)
		output_printf(&a->out, "%s %ju %s", i > 0 ? "," : "", (uintmax_t)v->number, v->key);
	output_text(&a->out, "\n");
}

static void print_file(struct analyze_results *a, const char *label,
		       const struct iot_analyze_value *v)
{
	const struct iot_analyze_value *all = find(a, VALUE(totals, bytes)),
				       *path = iot_analyze_find(a->analysis, VALUE(files, top_path),
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
static bool find_process(const struct analyze_results *a, const char *name, uint64_t *process,
			 double *ratio)
{
	const struct iot_analyze_value *v = iot_analyze_find(a->analysis, SECTION_OF(processes),
							     name, "process"),
				       *max = iot_analyze_find(a->analysis, SECTION_OF(processes),
							       name, "max_to_mean");
	if (v == NULL || max->kind != IOT_VALUE_REAL)
		return false;
	*process = v->number;
	*ratio = max->real;
	return true;
}

static void print_processes(struct analyze_results *a)
{
	uint64_t process;
	double ratio;
	if (find_process(a, NAME_OF(imbalance_bytes), &process, &ratio))
		output_printf(&a->out, "%-26s %14ju %.2f times the mean", "process with most bytes",
			      (uintmax_t)process, ratio);
	else
		output_printf(&a->out, "%-26s %14s", "process with most bytes", "-");
	if (find_process(a, NAME_OF(imbalance_io_time), &process, &ratio))
		output_printf(&a->out, "; longest in I/O: %ju, %.2f times", (uintmax_t)process,
			      ratio);
	output_text(&a->out, "\n");
}

/* Which files and processes do most of the I/O. */
static void print_largest(struct analyze_results *a)
{
	const struct iot_analyze_value *v = text_list_value(a, VALUE(files, top_bytes), 0),
				       *strategy = find(a, VALUE(files, strategy));
	char text[2][FIELD];
	output_text(&a->out, "files and processes\n");
	if (v != NULL)
		print_file(a, "file with most bytes", v);
	output_printf(&a->out, "%-26s %14s of %s files%s", "shared by processes",
		      shown_value(text[0], SHOWN_COUNT, find(a, VALUE(files, shared_files))),
		      shown_value(text[1], SHOWN_COUNT, find(a, VALUE(totals, files))),
		      of_the_sample(a));
	if (strategy->kind == IOT_VALUE_TEXT)
		output_printf(&a->out, "; strategy %.*s", (int)strategy->text.size,
			      strategy->text.data);
	output_text(&a->out, "\n");
	if (find(a, VALUE(trace, processes))->number > 1)
		print_processes(a);
}

static bool has_section(const struct analyze_results *a, const char *section)
{
	const struct iot_analyze_value *v;
	for (size_t i = 0; (v = iot_analyze_value(a->analysis, i)) != NULL; i++)
		if (strcmp(v->section, section) == 0)
			return true;
	return false;
}

/* Limits of memory that the trace reached, and what they change. */
static void print_limits(struct analyze_results *a)
{
	static const struct {
		const char *name, *change;
		enum shown as;
	} limits[] = {
	    {NAME_OF(files),
	     "files for each one in the sample, which sharing, reuse and classes are of",
	     SHOWN_COUNT},
	    {NAME_OF(streams), "open files, least recently used, ended early: see order",
	     SHOWN_COUNT},
	    {NAME_OF(operations), "operations that files lack", SHOWN_COUNT},
	    {NAME_OF(ranges), "to which ranges of bytes were rounded outward: see reuse",
	     SHOWN_BYTES},
	    {NAME_OF(file_bins), "intervals in each bin of same-file concurrency", SHOWN_COUNT},
	    {NAME_OF(names), "paths are not known", SHOWN_COUNT}};
	char text[FIELD];
	if (!has_section(a, SECTION_OF(limits)))
		return;
	output_text(&a->out, "limits reached\n");
	for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
		const struct iot_analyze_value *v = find(a, SECTION_OF(limits), limits[i].name);
		if (v != NULL)
			output_printf(&a->out, "%-26s %14s %s\n", limits[i].name,
				      shown_value(text, limits[i].as, v), limits[i].change);
	}
}

/* How often the bytes of files are used, and why. */
static void print_reuse(struct analyze_results *a)
{
	static const char *const classes[] = {"required", "checkpoint", "swapping", "rewritten"};
	char text[FIELD];
	output_printf(&a->out, "%-26s %14s", "footprint",
		      shown_value(text, SHOWN_BYTES, find(a, VALUE(reuse, footprint))));
	output_printf(&a->out, "%s used %s times:", of_the_sample(a),
		      shown_value(text, SHOWN_REAL, find(a, VALUE(reuse, reuse_ratio))));
	for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
		output_printf(
		    &a->out, "%s %s %s", i > 0 ? "," : "", classes[i],
		    shown_value(
			text, SHOWN_PERCENT,
			iot_analyze_find(a->analysis, VALUE(classes, reason_share), classes[i])));
	output_text(&a->out, "\n");
}

/* The mean and the largest set of windows of one bin and of eight. */
static void print_working_set(struct analyze_results *a)
{
	static const char *const windows[] = {"1", "8"};
	char text[2][FIELD], window[SIGNIFICANT];
	const struct iot_analyze_value *width = find(a, VALUE(reuse, working_set_bin_width_s));
	for (size_t i = 0; i < sizeof windows / sizeof windows[0] && width != NULL; i++) {
		const struct iot_analyze_value
		    *mean =
			iot_analyze_find(a->analysis, VALUE(reuse, working_set_mean), windows[i]),
		    *max = iot_analyze_find(a->analysis, VALUE(reuse, working_set_max), windows[i]);
		if (mean != NULL)
			output_printf(
			    &a->out, "%-26s %14s on average in %s s, up to %s\n", "working set",
			    shown_value(text[0], SHOWN_BYTES, mean),
			    significant(window, width->real * strtod(windows[i], NULL), 4),
			    shown_value(text[1], SHOWN_BYTES, max));
	}
}

/* The processes that read most bytes that others wrote. */
static void print_pairs(struct analyze_results *a)
{
	const struct iot_analyze_value *v;
	char text[FIELD], label[64];
	for (size_t i = 0; (v = iot_analyze_value(a->analysis, i)) != NULL; i++) {
		if (strcmp(v->section, SECTION_OF(reuse)) != 0 ||
		    strcmp(v->name, NAME_OF(pair_bytes)) != 0)
			continue;
		const int writer = (int)strcspn(v->key, "/");
		snprintf(label, sizeof label, "written by %.*s, read by %s", writer, v->key,
			 v->key + writer + 1);
		output_printf(&a->out, "%-26s %14s\n", label, shown_value(text, SHOWN_BYTES, v));
	}
}

/* Bytes that processes share, by the same and by another process. */
static void print_dependencies(struct analyze_results *a)
{
	static const struct {
		const char *label, *name;
	} rows[] = {{"read after write", NAME_OF(read_after_write_by)},
		    {"written after read", NAME_OF(write_after_read_by)},
		    {"overwritten unread", NAME_OF(overwrite_unread_by)},
		    {"overwritten after read", NAME_OF(overwrite_read_by)}};
	char text[2][FIELD];
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct iot_analyze_value *same =
						   iot_analyze_find(a->analysis, SECTION_OF(reuse),
								    rows[i].name, "same"),
					       *other =
						   iot_analyze_find(a->analysis, SECTION_OF(reuse),
								    rows[i].name, "other");
		if (same != NULL)
			output_printf(&a->out, "%-26s %14s by the same process, %s by another\n",
				      rows[i].label, shown_value(text[0], SHOWN_BYTES, same),
				      shown_value(text[1], SHOWN_BYTES, other));
	}
	print_pairs(a);
}

void analyze_print_extras(struct analyze_results *a)
{
	print_working_set(a);
	print_dependencies(a);
}

/* In the lines that are left of a screen, if there is more than them. */
static void print_findings(struct analyze_results *a)
{
	size_t lines = 1, left = SCREEN_FINDINGS;
	for (size_t i = 0; i < a->out.used; i++)
		lines += a->out.data[i] == '\n';
	if (has_section(a, SECTION_OF(time)) && has_section(a, SECTION_OF(order)))
		left = lines + left < SCREEN_LINES ? SCREEN_LINES - lines : left;
	else
		left = SIZE_MAX;
	output_text(&a->out, "\n");
	analyze_findings_print(&a->out, a->analysis, left);
}

void analyze_print_text(struct analyze_results *a)
{
	if (analyze_is_sampled(a)) {
		analyze_print_samples(a);
		return;
	}
	print_head(a);
	if (a->shows_map)
		analyze_map_print_text(&a->out, a->analysis);
	else
		print_totals(a);
	if (has_section(a, SECTION_OF(metadata)))
		print_operations(a);
	if (has_section(a, SECTION_OF(reuse)) && has_section(a, SECTION_OF(classes)))
		print_reuse(a);
	analyze_print_extras(a);
	if (has_section(a, SECTION_OF(sizes)))
		print_sizes(a);
	if (has_section(a, SECTION_OF(order)))
		print_order(a);
	if (has_section(a, SECTION_OF(time)))
		print_time(a);
	else if (has_section(a, SECTION_OF(cycles)))
		output_text(&a->out, "\n");
	print_pattern(a);
	if (has_section(a, SECTION_OF(files)) && has_section(a, SECTION_OF(processes)) &&
	    !a->hides_files)
		print_largest(a);
	analyze_print_ties(a);
	print_limits(a);
	if (has_section(a, SECTION_OF(findings)))
		print_findings(a);
}
