/* SPDX-License-Identifier: BSD-2-Clause */
#include "row.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

const char *metric_direction_name(char name[IOT_COLUMN_NAME], const char *metric,
				  enum iot_direction direction)
{
	static const char *const of_requests[] = {"requests", "reads", "writes"},
				 *const prefix[] = {"", "read_", "write_"};
	const bool is_written = direction == IOT_WRITES && strstr(metric, "bytes") != NULL;
	if (strcmp(metric, of_requests[0]) == 0)
		snprintf(name, IOT_COLUMN_NAME, "%s", of_requests[direction]);
	else
		snprintf(name, IOT_COLUMN_NAME, "%s%s", is_written ? "written_" : prefix[direction],
			 metric);
	return name;
}

const char *iot_column_name(const struct iot_column *column, char name[IOT_COLUMN_NAME])
{
	if (column->name == NULL)
		return metric_direction_name(name, column->metric->name, column->direction);
	snprintf(name, IOT_COLUMN_NAME, "%s", column->name);
	return name;
}

void iot_table_row(const struct iot_table *table, size_t row, struct iot_cell *cell)
{
	struct iot_row to = {table, row, cell, 0};
	assert(row < table->rows);
	memset(cell, 0, table->columns * sizeof *cell);
	table->fill(&to, table->source);
}
