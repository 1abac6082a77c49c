/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the costs of files at the disks, if the trace ties I/Os of disks to calls. */
#include <string.h>

#include "lib/result/names.h"

#include "html.h"
#include "report.h"

struct tie_column {
	const char *heading, *name;
	enum html_form form;
};

static const struct iot_analyze_value *find(const struct html_report *r, const char *name,
					    const char *key)
{
	return iot_analyze_find(r->data->analysis, SECTION_OF(ties), name, key);
}

static void write_cells(const struct html_report *r, const struct tie_column *columns, size_t n,
			const char *key)
{
	for (size_t i = 0; i < n; i++)
		html_cell(r->html, columns[i].form, find(r, columns[i].name, key));
	html_row_end(r->html);
}

static void write_head(const struct html_report *r, const char *first,
		       const struct tie_column *columns, size_t n)
{
	enum { COLUMNS = 8 };
	const char *headings[COLUMNS + 2] = {first};
	for (size_t i = 0; i < n && i < COLUMNS; i++)
		headings[i + 1] = columns[i].heading;
	html_table(r->html, NULL, headings);
}

static void write_kinds(const struct html_report *r)
{
	static const struct tie_column columns[] = {
	    {"reads", NAME_OF(read_disk_ios), HTML_COUNT},
	    {"read", NAME_OF(read_disk_bytes), HTML_BYTES},
	    {"writes", NAME_OF(write_disk_ios), HTML_COUNT},
	    {"written", NAME_OF(written_disk_bytes), HTML_BYTES}};
	enum { COLUMNS = sizeof columns / sizeof columns[0] };
	const struct iot_analyze_value *v;
	write_head(r, "tie", columns, COLUMNS);
	for (size_t i = 0; (v = plot_next(r->data, &i, VALUE(ties, read_disk_ios))) != NULL;) {
		html_row(r->html, v->key);
		write_cells(r, columns, COLUMNS, v->key);
	}
	html_row(r->html, "share of none");
	html_cell_text(r->html, "");
	html_cell(r->html, HTML_PERCENT, find(r, NAME_OF(read_untied_share), NULL));
	html_cell_text(r->html, "");
	html_cell(r->html, HTML_PERCENT, find(r, NAME_OF(write_untied_share), NULL));
	html_row_end(r->html);
	html_table_end(r->html);
}

static void write_files(const struct html_report *r)
{
	static const struct tie_column columns[] = {
	    {"calls read", NAME_OF(read_call_bytes), HTML_BYTES},
	    {"disks read", NAME_OF(read_tied_bytes), HTML_BYTES},
	    {"amplification", NAME_OF(read_amplification), HTML_REAL},
	    {"calls wrote", NAME_OF(written_call_bytes), HTML_BYTES},
	    {"disks wrote", NAME_OF(written_tied_bytes), HTML_BYTES},
	    {"amplification", NAME_OF(write_amplification), HTML_REAL},
	    {"read ahead", NAME_OF(read_ahead_bytes), HTML_BYTES},
	    {"read later", NAME_OF(read_ahead_used_share), HTML_PERCENT}};
	enum { COLUMNS = sizeof columns / sizeof columns[0] };
	const struct iot_analyze_value *v, *path;
	write_head(r, "file", columns, COLUMNS);
	for (size_t i = 0; (v = plot_next(r->data, &i, VALUE(ties, read_call_bytes))) != NULL;) {
		path = find(r, NAME_OF(path), v->key);
		html_row_named(r->html, path != NULL ? path->text
						     : (struct iot_text){v->key, strlen(v->key)});
		write_cells(r, columns, COLUMNS, v->key);
	}
	html_table_end(r->html);
}

void report_ties(const struct html_report *r)
{
	if (!report_has(r, SECTION_OF(ties)))
		return;
	html_section(r->html, SECTION_OF(ties), "Files at the disks");
	html_paragraph(r->html,
		       "Amplification: bytes of disks that are tied to calls, divided by the bytes "
		       "of the calls.");
	write_files(r);
	write_kinds(r);
	html_section_end(r->html);
}
