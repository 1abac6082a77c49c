/* SPDX-License-Identifier: BSD-2-Clause */
#include "html_table.h"

static void write_row(struct html *h, const struct text_column *c, size_t columns,
		      const struct iot_cell *cell)
{
	char text[QUANTITY_TEXT];
	for (size_t i = 0; i < columns; i++) {
		quantity_text(text, c[i].column.metric->quantity, c[i].form, &cell[i]);
		if (i == 0)
			html_row(h, text);
		else
			html_cell_text(h, text);
	}
	html_row_end(h);
}

void print_html_table(struct html *h, const char *caption, const struct text_column *column,
		      size_t columns, const struct iot_table *table)
{
	const char *headings[PRINT_COLUMNS_MAX + 1];
	struct iot_column shown[PRINT_COLUMNS_MAX];
	struct iot_cell cell[PRINT_COLUMNS_MAX];
	const struct iot_table t = text_table(column, columns, table, shown);
	for (size_t i = 0; i < columns; i++)
		headings[i] = text_column_label(&column[i]);
	headings[columns] = NULL;
	html_table(h, caption, headings);
	for (size_t row = 0; row < t.rows; row++) {
		iot_table_row(&t, row, cell);
		write_row(h, column, columns, cell);
	}
	html_table_end(h);
}
