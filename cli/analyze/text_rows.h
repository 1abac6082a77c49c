/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of text: a label, a value of reads, one of writes, and one of both; and values of lists. */
#ifndef CLI_ANALYZE_TEXT_ROWS_H
#define CLI_ANALYZE_TEXT_ROWS_H

#include "lib/result/metrics.h"

#include "results.h"
#include "shown.h"

struct text_row {
	const char *label;
	const char *section, *name, *key;
	enum shown as;
	bool both;
};

const struct iot_analyze_value *text_row_find(const struct analyze_results *a,
					      const struct text_row *row, const char *name,
					      enum iot_direction direction, const char *key);
/* Returns value i of a list, such as top_bytes, or NULL after the last one. */
const struct iot_analyze_value *text_list_value(const struct analyze_results *a,
						const char *section, const char *name, size_t i);
void text_rows_print(struct analyze_results *a, const struct text_row *rows, size_t n);

#endif
