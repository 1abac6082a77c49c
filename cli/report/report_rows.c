/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables with a row for each file, process or operation, most bytes or time first. */
#include <stdio.h>

#include "cli/analyze/row_value.h"
#include "lib/result/names.h"

#include "html.h"
#include "report.h"

enum { COLUMNS = 12 };

struct row_table_layout {
	enum iot_analyze_by by;
	const char *heading; /* of the first column */
	struct {
		const char *heading, *name; /* NULL: no more */
		enum html_form form;
	} columns[COLUMNS];
};

static void write_head(const struct html_report *r, const struct row_table_layout *l, size_t rows,
		       size_t all)
{
	const char *headings[COLUMNS + 2] = {l->heading};
	char caption[96];
	for (size_t i = 0; i < COLUMNS && l->columns[i].heading != NULL; i++)
		headings[i + 1] = l->columns[i].heading;
	snprintf(caption, sizeof caption, "%zu of %zu", rows, all);
	html_table(r->html, rows < all ? caption : NULL, headings);
}

static void write_row(const struct html_report *r, const struct row_table_layout *l,
		      const struct iot_analyze_row *row)
{
	char text[ROW_PATH];
	const struct iot_text path = analyze_row_path(row, text);
	html_row_named(r->html, path.data != NULL ? path : row->key);
	for (size_t i = 0; i < COLUMNS && l->columns[i].heading != NULL; i++)
		html_cell(r->html, l->columns[i].form, analyze_row_value(row, l->columns[i].name));
	html_row_end(r->html);
}

/* Returns an enum iot_status. */
static int write_table(const struct html_report *r, const struct row_table_layout *l)
{
	struct iot_analyze *a = r->data->analysis;
	const ssize_t all = iot_analyze_rows(a, l->by);
	struct iot_analyze_row row;
	int status = IOT_OK;
	if (all <= 0)
		return (int)all;
	const size_t rows = (size_t)all < r->options->rows ? (size_t)all : r->options->rows;
	write_head(r, l, rows, (size_t)all);
	for (size_t i = 0; i < rows && status == IOT_OK; i++) {
		status = iot_analyze_row(a, i, &row);
		if (status == IOT_OK)
			write_row(r, l, &row);
	}
	html_table_end(r->html);
	return status;
}

/* The classes of files by their processes and directions. */
static void write_classes(const struct html_report *r)
{
	static const char *const headings[] = {"files",    "number",  "bytes",
					       "requests", "largest", NULL},
				 *const names[] = {NAME_OF(class_files), NAME_OF(class_bytes),
						   NAME_OF(class_requests), NAME_OF(class_extent)};
	static const enum html_form forms[] = {HTML_COUNT, HTML_BYTES, HTML_COUNT, HTML_BYTES};
	const struct iot_analyze_value *v;
	html_table(r->html, NULL, headings);
	for (size_t i = 0; (v = plot_next(r->data, &i, VALUE(files, class_files))) != NULL;) {
		if (v->number == 0)
			continue;
		html_row(r->html, v->key);
		for (unsigned k = 0; k < 4; k++)
			html_cell(r->html, forms[k],
				  iot_analyze_find(r->data->analysis, SECTION_OF(files), names[k],
						   v->key));
		html_row_end(r->html);
	}
	html_table_end(r->html);
}

int report_files(const struct html_report *r)
{
	static const struct row_table_layout layout = {
	    IOT_ANALYZE_BY_FILE,
	    "file",
	    {{"reads", NAME_OF(reads), HTML_COUNT},
	     {"writes", NAME_OF(writes), HTML_COUNT},
	     {"read", NAME_OF(read_bytes), HTML_BYTES},
	     {"written", NAME_OF(written_bytes), HTML_BYTES},
	     {"in I/O", NAME_OF(io_time_ns), HTML_NS},
	     {"processes", NAME_OF(processes), HTML_COUNT},
	     {"extent", NAME_OF(extent), HTML_BYTES},
	     {"sequential", NAME_OF(sequential_share), HTML_PERCENT},
	     {"pattern", NAME_OF(pattern), HTML_TEXT}}};
	const struct iot_analyze_value *strategy;
	if (!report_has(r, SECTION_OF(files)))
		return IOT_OK;
	html_section(r->html, SECTION_OF(files), "Files");
	strategy = plot_value(r->data, VALUE(files, strategy), NULL);
	if (strategy != NULL) {
		output_text(r->html->out, "<p>Strategy: ");
		html_name(r->html, strategy->text);
		output_text(r->html->out,
			    " (N-1, N-M, N-N: most bytes are in files of all, several or one "
			    "process).</p>\n");
	}
	write_classes(r);
	const int status = write_table(r, &layout);
	html_section_end(r->html);
	return status;
}

static void write_imbalance(const struct html_report *r)
{
	static const char *const headings[] = {"",  "mean", "cv", "max/mean", "process with most",
					       NULL};
	static const struct {
		const char *label, *name;
		enum html_form form;
	} rows[] = {{"bytes", NAME_OF(imbalance_bytes), HTML_BYTES},
		    {"requests", NAME_OF(imbalance_requests), HTML_REAL},
		    {"time in I/O", NAME_OF(imbalance_io_time), HTML_NS}};
	struct iot_analyze *a = r->data->analysis;
	html_table(r->html, NULL, headings);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		html_row(r->html, rows[i].label);
		html_cell(r->html, rows[i].form,
			  iot_analyze_find(a, SECTION_OF(processes), rows[i].name, "mean"));
		html_cell(r->html, HTML_REAL,
			  iot_analyze_find(a, SECTION_OF(processes), rows[i].name, "cv"));
		html_cell(r->html, HTML_REAL,
			  iot_analyze_find(a, SECTION_OF(processes), rows[i].name, "max_to_mean"));
		const struct iot_analyze_value *v =
		    iot_analyze_find(a, SECTION_OF(processes), rows[i].name, "process");
		char text[HTML_VALUE] = "-";
		if (v != NULL && v->kind == IOT_VALUE_NUMBER)
			snprintf(text, sizeof text, "%ju", (uintmax_t)v->number);
		html_cell_text(r->html, text);
		html_row_end(r->html);
	}
	html_table_end(r->html);
}

int report_processes(const struct html_report *r)
{
	static const struct row_table_layout
	    processes = {IOT_ANALYZE_BY_PROCESS,
			 "process",
			 {{"rank", NAME_OF(rank), HTML_COUNT},
			  {"reads", NAME_OF(reads), HTML_COUNT},
			  {"writes", NAME_OF(writes), HTML_COUNT},
			  {"read", NAME_OF(read_bytes), HTML_BYTES},
			  {"written", NAME_OF(written_bytes), HTML_BYTES},
			  {"in I/O", NAME_OF(io_time_ns), HTML_NS},
			  {"in metadata", NAME_OF(operation_time_ns), HTML_NS},
			  {"opens", NAME_OF(opens), HTML_COUNT},
			  {"files", NAME_OF(files), HTML_COUNT},
			  {"host", NAME_OF(host), HTML_TEXT}}},
	    hosts = {IOT_ANALYZE_BY_HOST,
		     "host",
		     {{"processes", NAME_OF(processes), HTML_COUNT},
		      {"read", NAME_OF(read_bytes), HTML_BYTES},
		      {"written", NAME_OF(written_bytes), HTML_BYTES},
		      {"in I/O", NAME_OF(io_time_ns), HTML_NS},
		      {"in metadata", NAME_OF(operation_time_ns), HTML_NS}}};
	int status = IOT_OK;
	if (r->data->processes.hosts) {
		html_section(r->html, "hosts", "Hosts");
		report_plot(r, &plot_hosts);
	} else if (report_has(r, SECTION_OF(processes))) {
		html_section(r->html, SECTION_OF(processes), "Ranks and processes");
		write_imbalance(r);
		status = write_table(r, &processes);
	} else
		return IOT_OK;
	if (status == IOT_OK)
		status = write_table(r, &hosts);
	html_section_end(r->html);
	return status;
}

int report_metadata(const struct html_report *r)
{
	static const struct row_table_layout layout = {
	    IOT_ANALYZE_BY_OPERATION,
	    "operation",
	    {{"calls", NAME_OF(calls), HTML_COUNT},
	     {"failed", NAME_OF(failed), HTML_COUNT},
	     {"time", NAME_OF(operation_ns), HTML_NS},
	     {"mean", NAME_OF(operation_mean_ns), HTML_NS},
	     {"longest", NAME_OF(operation_max_ns), HTML_NS},
	     {"kind", NAME_OF(operation_kind), HTML_TEXT}}};
	const struct iot_analyze_value *n = plot_value(r->data, VALUE(metadata, operations), NULL);
	if (n == NULL || n->number == 0)
		return IOT_OK;
	html_section(r->html, "operations", "Operations");
	const int status = write_table(r, &layout);
	html_section_end(r->html);
	return status;
}
