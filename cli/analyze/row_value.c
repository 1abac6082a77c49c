/* SPDX-License-Identifier: BSD-2-Clause */
#include "row_value.h"

#include <string.h>

const struct iot_analyze_value *analyze_row_value(const struct iot_analyze_row *row,
						  const char *name)
{
	for (size_t i = 0; i < row->count; i++)
		if (strcmp(row->values[i].name, name) == 0)
			return &row->values[i];
	return NULL;
}
