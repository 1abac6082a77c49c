/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of single values: totals, sizes, order and time, with columns for reads, writes and both. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/ui/markup.h"
#include "cli/ui/printable.h"
#include "lib/result/metrics.h"

#include "html.h"
#include "report.h"

/* A row: a value of reads, one of writes, and one of both. */
struct value_row {
	const char *label, *section, *name, *key;
	enum html_form form;
	bool both;
};

static const struct iot_analyze_value *
find(const struct html_report *r, const struct value_row *row, enum iot_direction direction)
{
	char name[IOT_COLUMN_NAME];
	metric_direction_name(name, row->name, direction);
	return iot_analyze_find(r->data->analysis, row->section, name, row->key);
}

/* The mid-point of a bin may be outside the range of the sizes. */
static const struct iot_analyze_value *find_in_range(const struct html_report *r,
						     const struct value_row *row,
						     enum iot_direction direction)
{
	struct value_row min = *row, max = *row;
	const struct iot_analyze_value *v = find(r, row, direction);
	if (strcmp(row->name, "size_quantile") != 0 || v == NULL || v->kind != IOT_VALUE_REAL)
		return v;
	min.name = "size_min";
	max.name = "size_max";
	min.key = max.key = NULL;
	const struct iot_analyze_value *low = find(r, &min, direction),
				       *high = find(r, &max, direction);
	return v->real < (double)low->number ? low : v->real > (double)high->number ? high : v;
}

static const char *const directions[] = {"", "reads", "writes", "all", NULL},
			 *const two_directions[] = {"", "reads", "writes", NULL};

static void write_rows(const struct html_report *r, const struct value_row *rows, size_t n)
{
	bool both = false;
	for (size_t i = 0; i < n; i++)
		both |= rows[i].both;
	html_table(r->html, NULL, both ? directions : two_directions);
	for (size_t i = 0; i < n; i++) {
		html_row(r->html, rows[i].label);
		html_cell(r->html, rows[i].form, find_in_range(r, &rows[i], IOT_READS));
		html_cell(r->html, rows[i].form, find_in_range(r, &rows[i], IOT_WRITES));
		if (rows[i].both)
			html_cell(r->html, rows[i].form, find(r, &rows[i], IOT_BOTH));
		else if (both)
			html_cell_text(r->html, "");
		html_row_end(r->html);
	}
	html_table_end(r->html);
}

/* Single values: a label and a value. Of several that are unknown for one reason, the first. */
static void write_list(const struct html_report *r, const struct value_row *rows, size_t n)
{
	char text[HTML_VALUE];
	const char *reason = NULL;
	output_text(r->html->out, "<dl>\n");
	for (size_t i = 0; i < n; i++) {
		const struct iot_analyze_value *v = find(r, &rows[i], IOT_BOTH);
		const bool is_unknown = v == NULL || v->kind == IOT_VALUE_UNKNOWN;
		if (v == NULL || (is_unknown && reason != NULL && v->note != NULL &&
				  strcmp(reason, v->note) == 0))
			continue;
		reason = is_unknown ? v->note : reason;
		output_text(r->html->out, "<dt>");
		markup_text(r->html->out, rows[i].label);
		output_text(r->html->out, "</dt><dd>");
		if (v->kind == IOT_VALUE_TEXT)
			html_name(r->html, v->text);
		else
			markup_text(r->html->out, html_value(text, rows[i].form, v));
		if (is_unknown && v->note != NULL) {
			output_text(r->html->out, ": ");
			markup_text(r->html->out, v->note);
		} else if (rows[i].form == HTML_REAL && v->unit[0] != '\0') {
			output_printf(r->html->out, " %s", v->unit);
		}
		output_text(r->html->out, "</dd>\n");
	}
	output_text(r->html->out, "</dl>\n");
}

#define COUNT_OF(rows) (sizeof(rows) / sizeof((rows)[0]))

/* A plot under a heading; left out if it has no data. */
static void write_section(const struct html_report *r, const char *id, const char *heading,
			  const struct plot *p)
{
	if (!p->has_data(r->data))
		return;
	html_section(r->html, id, heading);
	report_plot(r, p);
	html_section_end(r->html);
}

void report_times(const struct html_report *r)
{
	if (!plot_kinds.has_data(r->data) && !plot_processes.has_data(r->data))
		return;
	html_section(r->html, "times", "Where the time goes");
	report_plot(r, &plot_kinds);
	report_plot(r, &plot_processes);
	html_section_end(r->html);
}

void report_samples(const struct html_report *r)
{
	static const struct value_row rows[] = {
	    {"highest rate, per second", "samples", "bytes_per_s_max", NULL, HTML_BYTES, true},
	    {"bytes in a day, mean", "samples", "bytes_per_day", "mean", HTML_BYTES, true},
	    {"bytes in a day, most", "samples", "bytes_per_day", "max", HTML_BYTES, true},
	};
	static const struct value_row single[] = {
	    {"samples", "samples", "sample_count", NULL, HTML_COUNT, true},
	    {"hosts", "samples", "sampled_hosts", NULL, HTML_COUNT, true},
	    {"usual interval", "samples", "resolution_s", NULL, HTML_REAL, true},
	    {"observed", "samples", "observed_s", NULL, HTML_REAL, true},
	    {"not observed", "samples", "unobserved_s", NULL, HTML_REAL, true},
	    {"mean rate, per second", "samples", "bytes_per_s_mean", NULL, HTML_BYTES, true},
	    {"time below a third of the highest rate", "samples", "below_33_percent_of_peak", NULL,
	     HTML_PERCENT, true},
	    {"time below 5 % of the highest rate", "samples", "idle_below_5", "share", HTML_PERCENT,
	     true},
	    {"of all time, in such periods of an hour or more", "samples",
	     "idle_below_5_hours_share", NULL, HTML_PERCENT, true},
	    {"time without any activity", "samples", "idle_without_io", "share", HTML_PERCENT,
	     true},
	    {"samples after gaps", "samples", "samples_after_gaps", NULL, HTML_COUNT, true},
	    {"doubtful samples", "samples", "doubtful_samples", NULL, HTML_COUNT, true},
	};
	if (!report_has(r, "samples"))
		return;
	html_section(r->html, "samples", "Samples of counters");
	write_rows(r, rows, COUNT_OF(rows));
	write_list(r, single, COUNT_OF(single));
	report_plot(r, &plot_idle);
	html_section_end(r->html);
}

void report_heat(const struct html_report *r)
{
	if (r->data->processes.count > 1)
		write_section(r, "heat", "Rate of each process", &plot_heat);
}

void report_offsets(const struct html_report *r)
{
	write_section(r, "offsets", "Offsets in files", &plot_offset);
}

void report_rate(const struct html_report *r)
{
	static const struct value_row rows[] = {
	    {"requests", "totals", "requests", NULL, HTML_COUNT, true},
	    {"bytes", "totals", "bytes", NULL, HTML_BYTES, true},
	    {"mean size", "totals", "size_mean", NULL, HTML_BYTES, true},
	    {"bytes/s", "totals", "bytes_per_running_s", NULL, HTML_BYTES, true},
	    {"requests/s", "totals", "requests_per_running_s", NULL, HTML_REAL, true},
	    {"asynchronous requests", "totals", "asynchronous_requests", NULL, HTML_COUNT, true},
	};
	html_section(r->html, "rate", "Rate");
	report_plot(r, &plot_rate);
	write_rows(r, rows, COUNT_OF(rows));
	html_section_end(r->html);
}

void report_time(const struct html_report *r)
{
	static const struct value_row rows[] = {
	    {"highest rate, per second", "time", "bytes_per_s_max", NULL, HTML_BYTES, true},
	    {"highest requests/s", "time", "requests_per_s_max", NULL, HTML_REAL, true},
	    {"time above 1 MiB/s", "time", "intensity", "1048576", HTML_PERCENT, true},
	    {"burstiness, at 1 MiB/s", "time", "burstiness", "1048576", HTML_REAL, true},
	};
	static const struct value_row single[] = {
	    {"in I/O, of the time of all processes", "time", "io_share", NULL, HTML_PERCENT, true},
	    {"in I/O or metadata", "time", "call_share", NULL, HTML_PERCENT, true},
	    {"metadata, of that", "time", "operation_share", NULL, HTML_PERCENT, true},
	    {"bytes/s in the I/O time of the slowest process", "time", "slowest_bytes_per_s", NULL,
	     HTML_BYTES, true},
	    {"the same per node", "time", "node_bytes_per_s", NULL, HTML_BYTES, true},
	    {"bursts", "time", "bursts", NULL, HTML_COUNT, true},
	    {"bytes in bursts", "time", "burst_byte_share", NULL, HTML_PERCENT, true},
	    {"time below a third of the highest rate", "time", "below_33_percent_of_peak", NULL,
	     HTML_PERCENT, true},
	    {"time without I/O", "time", "idle_without_io", "share", HTML_PERCENT, true},
	    {"longest gap between requests", "time", "idle_gap_ns", "max", HTML_NS, true},
	    {"outstanding requests, mean", "time", "concurrency_mean", NULL, HTML_REAL, true},
	    {"outstanding requests, most", "time", "concurrency_max", NULL, HTML_COUNT, true},
	};
	if (!report_has(r, "time"))
		return;
	html_details(r->html, "time", "Over time");
	write_rows(r, rows, COUNT_OF(rows));
	write_list(r, single, COUNT_OF(single));
	html_details_end(r->html);
}

void report_cycles(const struct html_report *r)
{
	static const struct value_row rows[] = {
	    {"pattern over time", "cycles", "temporal_pattern", NULL, HTML_TEXT, true},
	    {"period", "cycles", "period_s", NULL, HTML_REAL, true},
	    {"method", "cycles", "period_method", NULL, HTML_TEXT, true},
	    {"correlation", "cycles", "correlation", NULL, HTML_REAL, true},
	    {"dispersion of intervals", "cycles", "dispersion", NULL, HTML_REAL, true},
	    {"cycles", "cycles", "cycles", NULL, HTML_COUNT, true},
	    {"similarity of cycles", "cycles", "similarity", NULL, HTML_REAL, true},
	    {"duty: share of a cycle with 95 % of its energy", "cycles", "duty_share", NULL,
	     HTML_PERCENT, true},
	    {"bytes per cycle", "cycles", "cycle_amount", "mean", HTML_BYTES, true},
	    {"requests per cycle", "cycles", "cycle_requests", "mean", HTML_REAL, true},
	    {"period of reads", "cycles", "read_period_s", NULL, HTML_REAL, true},
	    {"period of writes", "cycles", "write_period_s", NULL, HTML_REAL, true},
	    {"period of operations", "cycles", "operation_period_s", NULL, HTML_REAL, true},
	};
	if (!report_has(r, "cycles"))
		return;
	html_details(r->html, "cycles", "Cycles");
	report_plot(r, &plot_cycle);
	write_list(r, rows, COUNT_OF(rows));
	html_details_end(r->html);
}

/* The common sizes of a direction. */
static void write_common(const struct html_report *r, const char *heading, const char *name,
			 const char *share_name)
{
	const char *const headings[] = {heading, "requests", "share", NULL};
	const struct iot_analyze_value *v;
	char text[HTML_VALUE];
	bool any = false;
	for (size_t i = 0; (v = plot_next(r->data, &i, "sizes", name)) != NULL;) {
		if (!any)
			html_table(r->html, NULL, headings);
		any = true;
		html_row(r->html, printable_bytes(text, sizeof text, strtoull(v->key, NULL, 10)));
		html_cell(r->html, HTML_COUNT, v);
		html_cell(r->html, HTML_PERCENT,
			  iot_analyze_find(r->data->analysis, "sizes", share_name, v->key));
		html_row_end(r->html);
	}
	if (any)
		html_table_end(r->html);
}

void report_sizes(const struct html_report *r)
{
	static const struct value_row rows[] = {
	    {"smallest", "sizes", "size_min", NULL, HTML_BYTES, false},
	    {"median", "sizes", "size_quantile", "0.5", HTML_BYTES, false},
	    {"mean", "sizes", "size_mean", NULL, HTML_BYTES, false},
	    {"largest", "sizes", "size_max", NULL, HTML_BYTES, false},
	    {"up to 4 KiB", "sizes", "small_share", "4096", HTML_PERCENT, false},
	    {"up to 64 KiB", "sizes", "small_share", "65536", HTML_PERCENT, false},
	    {"up to 1 MiB", "sizes", "small_share", "1048576", HTML_PERCENT, false},
	    {"not of the usual size", "sizes", "variable_share", NULL, HTML_PERCENT, false},
	    {"offset aligned", "sizes", "aligned_share", NULL, HTML_PERCENT, false},
	    {"size aligned", "sizes", "aligned_size_share", NULL, HTML_PERCENT, false},
	};
	if (!report_has(r, "sizes"))
		return;
	html_details(r->html, "sizes", "Sizes of requests");
	report_plot(r, &plot_sizes);
	write_rows(r, rows, COUNT_OF(rows));
	write_common(r, "most common reads", "read_common_sizes", "read_common_size_share");
	write_common(r, "most common writes", "write_common_sizes", "write_common_size_share");
	html_details_end(r->html);
}

void report_order(const struct html_report *r)
{
	static const struct value_row rows[] = {
	    {"consecutive", "order", "consecutive_share", NULL, HTML_PERCENT, false},
	    {"forward", "order", "forward_share", NULL, HTML_PERCENT, false},
	    {"at the same offset", "order", "re_access_share", NULL, HTML_PERCENT, false},
	    {"backward", "order", "backward_share", NULL, HTML_PERCENT, false},
	    {"strided", "order", "strided_share", NULL, HTML_PERCENT, false},
	    {"requests of contiguous streams", "order", "pattern_requests", "contiguous",
	     HTML_COUNT, false},
	    {"of simple strided streams", "order", "pattern_requests", "simple strided", HTML_COUNT,
	     false},
	    {"of nested strided streams", "order", "pattern_requests", "nested strided", HTML_COUNT,
	     false},
	    {"of sequential streams", "order", "pattern_requests", "sequential", HTML_COUNT, false},
	    {"of random streams", "order", "pattern_requests", "random", HTML_COUNT, false},
	    {"of short streams", "order", "pattern_requests", "short", HTML_COUNT, false},
	};
	static const struct value_row single[] = {
	    {"sequential, reads and writes together", "order", "sequential_share", NULL,
	     HTML_PERCENT, true},
	    {"of the same size", "order", "same_size_share", NULL, HTML_PERCENT, true},
	    {"switches between reads and writes", "order", "switch_share", NULL, HTML_PERCENT,
	     true},
	    {"requests in a sequential run, mean", "order", "run_requests_mean", NULL, HTML_REAL,
	     true},
	    {"seeks", "order", "jumps", NULL, HTML_COUNT, true},
	};
	if (!report_has(r, "order"))
		return;
	html_details(r->html, "order", "Order within open files");
	write_rows(r, rows, COUNT_OF(rows));
	write_list(r, single, COUNT_OF(single));
	html_details_end(r->html);
}

static void write_class_table(const struct html_report *r)
{
	static const char *const headings[] = {"bytes", "reads",   "writes", "all",
					       "share", "bytes/s", NULL};
	struct iot_analyze *a = r->data->analysis;
	if (!report_has(r, "classes"))
		return;
	html_table(r->html, NULL, headings);
	for (unsigned k = 0; k < CLASSES; k++) {
		const char *name = class_names[k];
		html_row(r->html, k == CLASS_CHECKPOINT ? "checkpoint or periodic output" : name);
		html_cell(r->html, HTML_BYTES,
			  iot_analyze_find(a, "classes", "read_reason_bytes", name));
		html_cell(r->html, HTML_BYTES,
			  iot_analyze_find(a, "classes", "written_reason_bytes", name));
		html_cell(r->html, HTML_BYTES,
			  iot_analyze_find(a, "classes", "reason_bytes", name));
		html_cell(r->html, HTML_PERCENT,
			  iot_analyze_find(a, "classes", "reason_share", name));
		html_cell(r->html, HTML_BYTES,
			  iot_analyze_find(a, "classes", "reason_bytes_per_running_s", name));
		html_row_end(r->html);
	}
	html_table_end(r->html);
}

void report_reuse(const struct html_report *r)
{
	static const struct value_row rows[] = {
	    {"footprint: bytes touched", "reuse", "footprint", NULL, HTML_BYTES, true},
	    {"of these read", "reuse", "unique_read", NULL, HTML_BYTES, true},
	    {"of these written", "reuse", "unique_written", NULL, HTML_BYTES, true},
	    {"reuse: bytes transferred by footprint", "reuse", "reuse_ratio", NULL, HTML_REAL,
	     true},
	    {"read for the first time", "reuse", "first_read", NULL, HTML_BYTES, true},
	    {"read again", "reuse", "re_read", NULL, HTML_BYTES, true},
	    {"read after being written", "reuse", "read_after_write", NULL, HTML_BYTES, true},
	    {"written for the first time", "reuse", "first_write", NULL, HTML_BYTES, true},
	    {"written after being read", "reuse", "write_after_read", NULL, HTML_BYTES, true},
	    {"overwritten unread", "reuse", "overwrite_unread", NULL, HTML_BYTES, true},
	    {"overwritten after being read", "reuse", "overwrite_read", NULL, HTML_BYTES, true},
	    {"different blocks of 64 KiB", "reuse", "working_set_all", NULL, HTML_BYTES, true},
	};
	if (!report_has(r, "reuse"))
		return;
	html_details(r->html, "reuse", "Classes and reuse of data");
	write_class_table(r);
	report_plot(r, &plot_class);
	write_list(r, rows, COUNT_OF(rows));
	html_details_end(r->html);
}
