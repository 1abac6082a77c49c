/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables as HTML. */
#ifndef CLI_PRINT_HTML_TABLE_H
#define CLI_PRINT_HTML_TABLE_H

#include "cli/report/html.h"

#include "text.h"

/*
 * Writes the rows of a table, with the columns of a text. caption: above them; NULL: none. The
 * first column is the label of its row.
 */
void print_html_table(struct html *h, const char *caption, const struct text_column *column,
		      size_t columns, const struct iot_table *table);

#endif
