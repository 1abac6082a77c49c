/* SPDX-License-Identifier: BSD-2-Clause */
#include "row_value.h"

#include <stdio.h>
#include <string.h>

#include "lib/result/names.h"

const struct iot_analyze_value *analyze_row_value(const struct iot_analyze_row *row,
						  const char *name)
{
	for (size_t i = 0; i < row->count; i++)
		if (strcmp(row->values[i].name, name) == 0)
			return &row->values[i];
	return NULL;
}

struct iot_text analyze_row_path(const struct iot_analyze_row *row, char text[ROW_PATH])
{
	const struct iot_analyze_value *path = analyze_row_value(row, NAME_OF(path)),
				       *first = analyze_row_value(row, NAME_OF(first_path));
	if (path == NULL || path->kind != IOT_VALUE_TEXT)
		return (struct iot_text){NULL, 0};
	if (first == NULL || first->kind != IOT_VALUE_TEXT)
		return path->text;
	const int size = snprintf(text, ROW_PATH, "%.*s%%20(was%%20%.*s)", (int)path->text.size,
				  path->text.data, (int)first->text.size, first->text.data);
	return (struct iot_text){text, (size_t)size < ROW_PATH ? (size_t)size : ROW_PATH - 1};
}
