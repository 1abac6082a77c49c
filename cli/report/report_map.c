/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of section `map`. */
#include <stdio.h>

#include "cli/analyze/map_rows.h"
#include "lib/result/names.h"

#include "html.h"
#include "report.h"

static void write_cell(const struct html_report *r, enum shown as,
		       const struct iot_analyze_value *v)
{
	static const enum html_form forms[] = {
	    [SHOWN_COUNT] = HTML_COUNT,     [SHOWN_BYTES] = HTML_BYTES, [SHOWN_REAL] = HTML_REAL,
	    [SHOWN_PERCENT] = HTML_PERCENT, [SHOWN_WORD] = HTML_TEXT,   [SHOWN_YES] = HTML_TEXT};
	char text[SHOWN_FIELD];
	if (as == SHOWN_YES)
		html_cell_text(r->html, shown_value(text, as, v));
	else
		html_cell(r->html, forms[as], v);
}

static void write_row(const struct html_report *r, const struct map_row *row)
{
	const struct iot_analyze_value *found[MAP_KEYS];
	char label[HTML_VALUE + SHOWN_FIELD];
	if (!map_row_find(r->data->analysis, row, found))
		return;
	snprintf(label, sizeof label, "%s %s", row->criterion, row->label);
	html_row(r->html, label);
	for (unsigned i = 0; i < MAP_KEYS; i++)
		if (row->keys[i] != NULL)
			write_cell(r, row->as, found[i]);
		else
			html_cell_text(r->html, "");
	html_row_end(r->html);
}

void report_map(const struct html_report *r)
{
	static const char *const headings[] = {"criterion", "reads", "writes", "all", NULL};
	if (!report_has(r, SECTION_OF(map)))
		return;
	html_details(r->html, SECTION_OF(map), "Criteria of the study");
	html_table(r->html, NULL, headings);
	for (unsigned i = 0; i < MAP_ROWS_MAX; i++)
		write_row(r, &map_rows[i]);
	html_table_end(r->html);
	html_details_end(r->html);
}
