/* SPDX-License-Identifier: BSD-2-Clause */
#include "tsv.h"

#include <assert.h>

#include "quantity.h"

static void write_nested(struct output *o, const struct iot_table *t)
{
	struct iot_cell cell[PRINT_COLUMNS_MAX];
	assert(t->columns <= PRINT_COLUMNS_MAX);
	for (size_t row = 0; row < t->rows; row++) {
		output_text(o, row > 0 ? "," : "");
		iot_table_row(t, row, cell);
		for (size_t i = 0; i < t->columns; i++) {
			output_text(o, i > 0 ? ":" : "");
			quantity_tsv(o, t->column[i].metric->quantity, &cell[i]);
		}
	}
}

static void write_row(struct output *o, const struct iot_table *t, size_t row)
{
	struct iot_cell cell[PRINT_COLUMNS_MAX];
	iot_table_row(t, row, cell);
	for (size_t i = 0; i < t->columns; i++) {
		output_text(o, i > 0 ? "\t" : "");
		if (cell[i].kind == IOT_TABLE)
			write_nested(o, cell[i].table);
		else
			quantity_tsv(o, t->column[i].metric->quantity, &cell[i]);
	}
	output_text(o, "\n");
}

void print_tsv(struct output *o, const struct iot_table *table)
{
	char name[IOT_COLUMN_NAME];
	assert(table->columns <= PRINT_COLUMNS_MAX);
	for (size_t i = 0; i < table->columns; i++) {
		output_text(o, i > 0 ? "\t" : "");
		output_text(o, iot_column_name(&table->column[i], name));
	}
	output_text(o, "\n");
	for (size_t row = 0; row < table->rows; row++)
		write_row(o, table, row);
}
