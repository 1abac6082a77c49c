/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables of single values: totals, sizes, order and time, with columns for reads, writes and both.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli/ui/markup.h"
#include "cli/ui/printable.h"
#include "lib/result/metrics.h"
#include "lib/result/names.h"

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
	if (strcmp(row->name, NAME_OF(size_quantile)) != 0 || v == NULL ||
	    v->kind != IOT_VALUE_REAL)
		return v;
	min.name = NAME_OF(size_min);
	max.name = NAME_OF(size_max);
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
	    {"highest rate, per second", VALUE(samples, bytes_per_s_max), NULL, HTML_BYTES, true},
	    {"bytes in a day, mean", VALUE(samples, bytes_per_day), "mean", HTML_BYTES, true},
	    {"bytes in a day, most", VALUE(samples, bytes_per_day), "max", HTML_BYTES, true},
	};
	static const struct value_row single[] = {
	    {"samples", VALUE(samples, sample_count), NULL, HTML_COUNT, true},
	    {"hosts", VALUE(samples, sampled_hosts), NULL, HTML_COUNT, true},
	    {"usual interval", VALUE(samples, resolution_s), NULL, HTML_REAL, true},
	    {"observed", VALUE(samples, observed_s), NULL, HTML_REAL, true},
	    {"not observed", VALUE(samples, unobserved_s), NULL, HTML_REAL, true},
	    {"mean rate, per second", VALUE(samples, bytes_per_s_mean), NULL, HTML_BYTES, true},
	    {"time below a third of the highest rate", VALUE(samples, below_33_percent_of_peak),
	     NULL, HTML_PERCENT, true},
	    {"time below 5 % of the highest rate", VALUE(samples, idle_below_5), "share",
	     HTML_PERCENT, true},
	    {"of all time, in such periods of an hour or more",
	     VALUE(samples, idle_below_5_hours_share), NULL, HTML_PERCENT, true},
	    {"time without any activity", VALUE(samples, idle_without_io), "share", HTML_PERCENT,
	     true},
	    {"samples after gaps", VALUE(samples, samples_after_gaps), NULL, HTML_COUNT, true},
	    {"doubtful samples", VALUE(samples, doubtful_samples), NULL, HTML_COUNT, true},
	    {"seconds counted twice", VALUE(samples, overlap_s), NULL, HTML_REAL, true},
	};
	if (!report_has(r, SECTION_OF(samples)))
		return;
	html_section(r->html, SECTION_OF(samples), "Samples of counters");
	write_rows(r, rows, COUNT_OF(rows));
	write_list(r, single, COUNT_OF(single));
	report_plot(r, &plot_idle);
	html_section_end(r->html);
}

void report_heat(const struct html_report *r)
{
	if (r->data->processes.count > 1)
		write_section(r, "heat",
			      r->data->processes.hosts ? "Rate of each host"
						       : "Rate of each process",
			      &plot_heat);
}

void report_offsets(const struct html_report *r)
{
	write_section(r, "offsets", "Offsets in files", &plot_offset);
}

void report_rate(const struct html_report *r)
{
	static const struct value_row rows[] = {
	    {"requests", VALUE(totals, requests), NULL, HTML_COUNT, true},
	    {"bytes", VALUE(totals, bytes), NULL, HTML_BYTES, true},
	    {"mean size", VALUE(totals, size_mean), NULL, HTML_BYTES, true},
	    {"bytes/s", VALUE(totals, bytes_per_running_s), NULL, HTML_BYTES, true},
	    {"requests/s", VALUE(totals, requests_per_running_s), NULL, HTML_REAL, true},
	    {"asynchronous requests", VALUE(totals, asynchronous_requests), NULL, HTML_COUNT, true},
	};
	html_section(r->html, "rate", "Rate");
	report_plot(r, &plot_rate);
	write_rows(r, rows, COUNT_OF(rows));
	html_section_end(r->html);
}

void report_time(const struct html_report *r)
{
	static const struct value_row rows[] = {
	    {"highest rate, per second", VALUE(time, bytes_per_s_max), NULL, HTML_BYTES, true},
	    {"highest requests/s", VALUE(time, requests_per_s_max), NULL, HTML_REAL, true},
	    {"time above 1 MiB/s", VALUE(time, intensity), "1048576", HTML_PERCENT, true},
	    {"burstiness, at 1 MiB/s", VALUE(time, burstiness), "1048576", HTML_REAL, true},
	};
	static const struct value_row single[] = {
	    {"in I/O, of the time of all processes", VALUE(time, io_share), NULL, HTML_PERCENT,
	     true},
	    {"in I/O or metadata", VALUE(time, call_share), NULL, HTML_PERCENT, true},
	    {"metadata, of that", VALUE(time, operation_share), NULL, HTML_PERCENT, true},
	    {"bytes/s in the I/O time of the slowest process", VALUE(time, slowest_bytes_per_s),
	     NULL, HTML_BYTES, true},
	    {"the same per node", VALUE(time, node_bytes_per_s), NULL, HTML_BYTES, true},
	    {"bursts", VALUE(time, bursts), NULL, HTML_COUNT, true},
	    {"bytes in bursts", VALUE(time, burst_byte_share), NULL, HTML_PERCENT, true},
	    {"time below a third of the highest rate", VALUE(time, below_33_percent_of_peak), NULL,
	     HTML_PERCENT, true},
	    {"time without I/O", VALUE(time, idle_without_io), "share", HTML_PERCENT, true},
	    {"longest gap between requests", VALUE(time, idle_gap_ns), "max", HTML_NS, true},
	    {"outstanding requests, mean", VALUE(time, concurrency_mean), NULL, HTML_REAL, true},
	    {"outstanding requests, most", VALUE(time, concurrency_max), NULL, HTML_COUNT, true},
	};
	if (!report_has(r, SECTION_OF(time)))
		return;
	html_details(r->html, SECTION_OF(time), "Over time");
	write_rows(r, rows, COUNT_OF(rows));
	write_list(r, single, COUNT_OF(single));
	html_details_end(r->html);
}

void report_cycles(const struct html_report *r)
{
	static const struct value_row rows[] = {
	    {"pattern over time", VALUE(cycles, temporal_pattern), NULL, HTML_TEXT, true},
	    {"period", VALUE(cycles, period_s), NULL, HTML_REAL, true},
	    {"method", VALUE(cycles, period_method), NULL, HTML_TEXT, true},
	    {"correlation", VALUE(cycles, correlation), NULL, HTML_REAL, true},
	    {"dispersion of intervals", VALUE(cycles, dispersion), NULL, HTML_REAL, true},
	    {"cycles", VALUE(cycles, cycles), NULL, HTML_COUNT, true},
	    {"similarity of cycles", VALUE(cycles, similarity), NULL, HTML_REAL, true},
	    {"duty: share of a cycle with 95 % of its energy", VALUE(cycles, duty_share), NULL,
	     HTML_PERCENT, true},
	    {"bytes per cycle", VALUE(cycles, cycle_amount), "mean", HTML_BYTES, true},
	    {"requests per cycle", VALUE(cycles, cycle_requests), "mean", HTML_REAL, true},
	    {"period of reads", VALUE(cycles, read_period_s), NULL, HTML_REAL, true},
	    {"period of writes", VALUE(cycles, write_period_s), NULL, HTML_REAL, true},
	    {"period of operations", VALUE(cycles, operation_period_s), NULL, HTML_REAL, true},
	};
	if (!report_has(r, SECTION_OF(cycles)))
		return;
	html_details(r->html, SECTION_OF(cycles), "Cycles");
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
	for (size_t i = 0; (v = plot_next(r->data, &i, SECTION_OF(sizes), name)) != NULL;) {
		if (!any)
			html_table(r->html, NULL, headings);
		any = true;
		html_row(r->html, printable_bytes(text, sizeof text, strtoull(v->key, NULL, 10)));
		html_cell(r->html, HTML_COUNT, v);
		html_cell(
		    r->html, HTML_PERCENT,
		    iot_analyze_find(r->data->analysis, SECTION_OF(sizes), share_name, v->key));
		html_row_end(r->html);
	}
	if (any)
		html_table_end(r->html);
}

void report_sizes(const struct html_report *r)
{
	static const struct value_row rows[] = {
	    {"smallest", VALUE(sizes, size_min), NULL, HTML_BYTES, false},
	    {"median", VALUE(sizes, size_quantile), "0.5", HTML_BYTES, false},
	    {"mean", VALUE(sizes, size_mean), NULL, HTML_BYTES, false},
	    {"largest", VALUE(sizes, size_max), NULL, HTML_BYTES, false},
	    {"up to 4 KiB", VALUE(sizes, small_share), "4096", HTML_PERCENT, false},
	    {"up to 64 KiB", VALUE(sizes, small_share), "65536", HTML_PERCENT, false},
	    {"up to 1 MiB", VALUE(sizes, small_share), "1048576", HTML_PERCENT, false},
	    {"not of the usual size", VALUE(sizes, variable_share), NULL, HTML_PERCENT, false},
	    {"offset aligned", VALUE(sizes, aligned_share), NULL, HTML_PERCENT, false},
	    {"size aligned", VALUE(sizes, aligned_size_share), NULL, HTML_PERCENT, false},
	};
	if (!report_has(r, SECTION_OF(sizes)))
		return;
	html_details(r->html, SECTION_OF(sizes), "Sizes of requests");
	report_plot(r, &plot_sizes);
	write_rows(r, rows, COUNT_OF(rows));
	write_common(r, "most common reads", NAME_OF(read_common_sizes),
		     NAME_OF(read_common_size_share));
	write_common(r, "most common writes", NAME_OF(write_common_sizes),
		     NAME_OF(write_common_size_share));
	html_details_end(r->html);
}

void report_order(const struct html_report *r)
{
	static const struct value_row rows[] = {
	    {"consecutive", VALUE(order, consecutive_share), NULL, HTML_PERCENT, false},
	    {"forward", VALUE(order, forward_share), NULL, HTML_PERCENT, false},
	    {"at the same offset", VALUE(order, re_access_share), NULL, HTML_PERCENT, false},
	    {"backward", VALUE(order, backward_share), NULL, HTML_PERCENT, false},
	    {"strided", VALUE(order, strided_share), NULL, HTML_PERCENT, false},
	    {"requests of contiguous streams", VALUE(order, pattern_requests), "contiguous",
	     HTML_COUNT, false},
	    {"of simple strided streams", VALUE(order, pattern_requests), "simple strided",
	     HTML_COUNT, false},
	    {"of nested strided streams", VALUE(order, pattern_requests), "nested strided",
	     HTML_COUNT, false},
	    {"of sequential streams", VALUE(order, pattern_requests), "sequential", HTML_COUNT,
	     false},
	    {"of random streams", VALUE(order, pattern_requests), "random", HTML_COUNT, false},
	    {"of short streams", VALUE(order, pattern_requests), "short", HTML_COUNT, false},
	};
	static const struct value_row single[] = {
	    {"sequential, reads and writes together", VALUE(order, sequential_share), NULL,
	     HTML_PERCENT, true},
	    {"of the same size", VALUE(order, same_size_share), NULL, HTML_PERCENT, true},
	    {"switches between reads and writes", VALUE(order, switch_share), NULL, HTML_PERCENT,
	     true},
	    {"requests in a sequential run, mean", VALUE(order, run_requests_mean), NULL, HTML_REAL,
	     true},
	    {"seeks", VALUE(order, jumps), NULL, HTML_COUNT, true},
	};
	if (!report_has(r, SECTION_OF(order)))
		return;
	html_details(r->html, SECTION_OF(order), "Order within open files");
	write_rows(r, rows, COUNT_OF(rows));
	write_list(r, single, COUNT_OF(single));
	html_details_end(r->html);
}

static void write_class_table(const struct html_report *r)
{
	static const char *const headings[] = {"bytes", "reads",   "writes", "all",
					       "share", "bytes/s", NULL};
	struct iot_analyze *a = r->data->analysis;
	if (!report_has(r, SECTION_OF(classes)))
		return;
	html_table(r->html, NULL, headings);
	for (unsigned k = 0; k < CLASSES; k++) {
		const char *name = class_names[k];
		html_row(r->html, k == CLASS_CHECKPOINT ? "checkpoint or periodic output" : name);
		html_cell(r->html, HTML_BYTES,
			  iot_analyze_find(a, VALUE(classes, read_reason_bytes), name));
		html_cell(r->html, HTML_BYTES,
			  iot_analyze_find(a, VALUE(classes, written_reason_bytes), name));
		html_cell(r->html, HTML_BYTES,
			  iot_analyze_find(a, VALUE(classes, reason_bytes), name));
		html_cell(r->html, HTML_PERCENT,
			  iot_analyze_find(a, VALUE(classes, reason_share), name));
		html_cell(r->html, HTML_BYTES,
			  iot_analyze_find(a, VALUE(classes, reason_bytes_per_running_s), name));
		html_row_end(r->html);
	}
	html_table_end(r->html);
}

void report_reuse(const struct html_report *r)
{
	static const struct value_row rows[] = {
	    {"footprint: bytes touched", VALUE(reuse, footprint), NULL, HTML_BYTES, true},
	    {"of these read", VALUE(reuse, unique_read), NULL, HTML_BYTES, true},
	    {"of these written", VALUE(reuse, unique_written), NULL, HTML_BYTES, true},
	    {"reuse: bytes transferred by footprint", VALUE(reuse, reuse_ratio), NULL, HTML_REAL,
	     true},
	    {"read for the first time", VALUE(reuse, first_read), NULL, HTML_BYTES, true},
	    {"read again", VALUE(reuse, re_read), NULL, HTML_BYTES, true},
	    {"read after being written", VALUE(reuse, read_after_write), NULL, HTML_BYTES, true},
	    {"written for the first time", VALUE(reuse, first_write), NULL, HTML_BYTES, true},
	    {"written after being read", VALUE(reuse, write_after_read), NULL, HTML_BYTES, true},
	    {"overwritten unread", VALUE(reuse, overwrite_unread), NULL, HTML_BYTES, true},
	    {"overwritten after being read", VALUE(reuse, overwrite_read), NULL, HTML_BYTES, true},
	    {"different blocks of 64 KiB", VALUE(reuse, working_set_all), NULL, HTML_BYTES, true},
	};
	if (!report_has(r, SECTION_OF(reuse)))
		return;
	html_details(r->html, SECTION_OF(reuse), "Classes and reuse of data");
	write_class_table(r);
	report_plot(r, &plot_class);
	write_list(r, rows, COUNT_OF(rows));
	html_details_end(r->html);
}
