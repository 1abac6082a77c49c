/* SPDX-License-Identifier: BSD-2-Clause */
#include "text_rows.h"

#include <string.h>

#include "lib/result/names.h"

enum { FIELD = SHOWN_FIELD };

const struct iot_analyze_value *text_row_find(const struct analyze_results *a,
					      const struct text_row *row, const char *name,
					      enum iot_direction direction, const char *key)
{
	char whole[IOT_COLUMN_NAME];
	metric_direction_name(whole, name, direction);
	return iot_analyze_find(a->analysis, row->section, whole, key);
}

const struct iot_analyze_value *text_list_value(const struct analyze_results *a,
						const char *section, const char *name, size_t i)
{
	const struct iot_analyze_value *v;
	for (size_t k = 0; (v = iot_analyze_value(a->analysis, k)) != NULL; k++)
		if (strcmp(v->section, section) == 0 && strcmp(v->name, name) == 0 &&
		    v->key[0] != '\0' && i-- == 0)
			return v;
	return NULL;
}

/* The mid-point of a bin may be outside the range of the values. */
static const struct iot_analyze_value *
quantile(const struct analyze_results *a, const struct text_row *row, enum iot_direction direction)
{
	const struct iot_analyze_value *v = text_row_find(a, row, row->name, direction, row->key),
				       *min = text_row_find(a, row, NAME_OF(size_min), direction,
							    NULL),
				       *max = text_row_find(a, row, NAME_OF(size_max), direction,
							    NULL);
	if (v->kind == IOT_VALUE_UNKNOWN)
		return v;
	return v->real < (double)min->number ? min : v->real > (double)max->number ? max : v;
}

static const char *field(const struct analyze_results *a, const struct text_row *row,
			 enum iot_direction direction, char text[FIELD])
{
	const bool is_quantile = strcmp(row->name, NAME_OF(size_quantile)) == 0;
	return shown_value(text, row->as,
			   is_quantile ? quantile(a, row, direction)
				       : text_row_find(a, row, row->name, direction, row->key));
}

static void print_row(struct analyze_results *a, const struct text_row *row)
{
	char read[FIELD], write[FIELD], both[FIELD];
	output_printf(&a->out, "%-26s %14s %14s", row->label, field(a, row, IOT_READS, read),
		      field(a, row, IOT_WRITES, write));
	if (row->both)
		output_printf(&a->out, " %14s", field(a, row, IOT_BOTH, both));
	output_text(&a->out, "\n");
}

void text_rows_print(struct analyze_results *a, const struct text_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		print_row(a, &rows[i]);
}
