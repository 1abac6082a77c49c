/* SPDX-License-Identifier: BSD-2-Clause */
#include "text.h"

#include <assert.h>

static const char *separator(const struct text_column *c, size_t i)
{
	return i == 0 ? "" : c[i].width == 0 ? "  " : " ";
}

static const char *label_of(const struct text_column *c)
{
	static const char *const directions[] = {NULL, "reads", "writes"};
	if (c->label != NULL)
		return c->label;
	return c->column.direction == IOT_BOTH ? c->column.metric->label
					       : directions[c->column.direction];
}

static void write_row(struct output *o, const struct text_column *c, size_t columns,
		      const struct iot_cell *cell)
{
	char text[QUANTITY_TEXT];
	for (size_t i = 0; i < columns; i++) {
		quantity_text(text, c[i].column.metric->quantity, c[i].form, &cell[i]);
		output_printf(o, "%s%*s", separator(c, i), c[i].width, c[i].width == 0 ? "" : text);
		if (c[i].width == 0)
			output_text(o, text);
	}
	output_text(o, "\n");
}

void print_text(struct output *o, const struct text_column *column, size_t columns,
		const char *title, const struct iot_table *table)
{
	struct iot_column shown[PRINT_COLUMNS_MAX];
	struct iot_cell cell[PRINT_COLUMNS_MAX];
	struct iot_table t = *table;
	assert(columns <= PRINT_COLUMNS_MAX);
	t.column = shown;
	t.columns = columns;
	for (size_t i = 0; i < columns; i++) {
		shown[i] = column[i].column;
		if (column[i].width != 0)
			output_printf(o, "%s%*s", separator(column, i), column[i].width,
				      label_of(&column[i]));
	}
	output_printf(o, "%s%s\n", title != NULL ? "  " : "", title != NULL ? title : "");
	for (size_t row = 0; row < t.rows; row++) {
		iot_table_row(&t, row, cell);
		write_row(o, column, columns, cell);
	}
}
