/* SPDX-License-Identifier: BSD-2-Clause */
#include "text.h"

#include <assert.h>
#include <string.h>

static const char *separator(const struct text_column *c, size_t i)
{
	return i == 0 ? "" : c[i].width == 0 ? "  " : " ";
}

const char *text_column_label(const struct text_column *c)
{
	static const char *const directions[2][3] = {{NULL, "reads", "writes"},
						     {NULL, "read", "written"}};
	const struct iot_metric *m = c->column.metric;
	if (c->label != NULL)
		return c->label;
	return c->column.direction == IOT_BOTH
		   ? m->label
		   : directions[m->quantity == IOT_BYTES][c->column.direction];
}

struct iot_table text_table(const struct text_column *column, size_t columns,
			    const struct iot_table *table,
			    struct iot_column shown[PRINT_COLUMNS_MAX])
{
	struct iot_table t = *table;
	assert(columns <= PRINT_COLUMNS_MAX);
	for (size_t i = 0; i < columns; i++)
		shown[i] = column[i].column;
	t.column = shown;
	t.columns = columns;
	return t;
}

/* Writes text in a column of a width, as printf does; at least the text. */
static void write_padded(struct output *o, int width, const char *text)
{
	static const char blanks[] = "                                ";
	const size_t size = strlen(text), wanted = (size_t)(width < 0 ? -width : width);
	const size_t pad = wanted > size ? wanted - size : 0;
	assert(wanted < sizeof blanks);
	if (width > 0)
		output_write(o, blanks, pad);
	output_write(o, text, size);
	if (width < 0)
		output_write(o, blanks, pad);
}

static void write_row(struct output *o, const struct text_column *c, size_t columns,
		      const struct iot_cell *cell)
{
	char text[QUANTITY_TEXT];
	for (size_t i = 0; i < columns; i++) {
		output_text(o, separator(c, i));
		write_padded(
		    o, c[i].width,
		    quantity_text(text, c[i].column.metric->quantity, c[i].form, &cell[i]));
	}
	output_text(o, "\n");
}

void print_text_rows(struct output *o, const struct text_column *column, size_t columns,
		     const struct iot_table *table)
{
	struct iot_column shown[PRINT_COLUMNS_MAX];
	struct iot_cell cell[PRINT_COLUMNS_MAX];
	const struct iot_table t = text_table(column, columns, table, shown);
	for (size_t row = 0; row < t.rows; row++) {
		iot_table_row(&t, row, cell);
		write_row(o, column, columns, cell);
	}
}

void print_text(struct output *o, const struct text_column *column, size_t columns,
		const char *title, const struct iot_table *table)
{
	for (size_t i = 0; i < columns; i++)
		if (column[i].width != 0)
			output_printf(o, "%s%*s", separator(column, i), column[i].width,
				      text_column_label(&column[i]));
	output_printf(o, "%s%s\n", title != NULL ? "  " : "", title != NULL ? title : "");
	print_text_rows(o, column, columns, table);
}
