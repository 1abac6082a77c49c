/* SPDX-License-Identifier: BSD-2-Clause */
#include "row.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const char *direction_prefix(const struct iot_column *column)
{
	switch (column->direction) {
	case IOT_READS:
		return "read_";
	case IOT_WRITES:
		return column->metric->quantity == IOT_BYTES ? "written_" : "write_";
	case IOT_BOTH:
		break;
	}
	return "";
}

const char *iot_column_name(const struct iot_column *column, char name[IOT_COLUMN_NAME])
{
	if (column->name != NULL)
		snprintf(name, IOT_COLUMN_NAME, "%s", column->name);
	else
		snprintf(name, IOT_COLUMN_NAME, "%s%s", direction_prefix(column),
			 column->metric->name);
	return name;
}

void iot_table_row(const struct iot_table *table, size_t row, struct iot_cell *cell)
{
	struct iot_row to = {table, row, cell, 0};
	assert(row < table->rows);
	memset(cell, 0, table->columns * sizeof *cell);
	table->fill(&to, table->source);
}
