/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements of the report: headings, tables and cells, with all text escaped. */
#ifndef CLI_REPORT_HTML_H
#define CLI_REPORT_HTML_H

#include <iotrace/analyze.h>

#include "cli/ui/output.h"

enum {
	HTML_SENTENCE_MAX = 600,
	HTML_NAME_MAX = 72,        /* columns of a name that are shown */
	HTML_TITLES_MAX = 1 << 20, /* bytes of all full names, which are tooltips */
};

struct html {
	struct output *out;
	size_t titles; /* bytes of full names so far */
};

/* How values are shown. */
enum html_form { HTML_COUNT, HTML_BYTES, HTML_REAL, HTML_PERCENT, HTML_NS, HTML_TEXT };

void html_begin(struct html *h, const char *title, size_t size);
void html_end(struct html *h);
/* A section with a heading; id: of the heading. */
void html_section(struct html *h, const char *id, const char *heading);
void html_section_end(struct html *h);
/* A section that shows only its heading until the reader opens it. */
void html_details(struct html *h, const char *id, const char *heading);
void html_details_end(struct html *h);
void html_paragraph(struct html *h, const char *text);
/* headings: NULL ends them; the first column is text, others are numbers. */
void html_table(struct html *h, const char *caption, const char *const *headings);
void html_table_end(struct html *h);
void html_row(struct html *h, const char *label);
void html_row_end(struct html *h);
/* A percent-encoded name as the first cell of a row: its middle is left out if it is long. */
void html_row_named(struct html *h, struct iot_text name);
/* A value, or the reason why it is unknown as a tooltip of "-"; v may be NULL. */
void html_cell(struct html *h, enum html_form form, const struct iot_analyze_value *v);
void html_cell_text(struct html *h, const char *text);
/* The form alone, within other text; returns text. */
enum { HTML_VALUE = 48 };
const char *html_value(char text[HTML_VALUE], enum html_form form,
		       const struct iot_analyze_value *v);
/* A name within text; see html_row_named. */
void html_name(struct html *h, struct iot_text name);
/* A percent-encoded sentence; beyond HTML_SENTENCE_MAX columns its middle is left out. */
void html_text(struct html *h, struct iot_text sentence);

#endif
