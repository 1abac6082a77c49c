/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables as aligned columns for people. */
#ifndef CLI_PRINT_TEXT_H
#define CLI_PRINT_TEXT_H

#include <iotrace/result.h>

#include "lib/result/columns.h"
#include "quantity.h"

struct text_column {
	struct iot_column column;
	const char *label; /* the heading; NULL: the metric's, or the direction's */
	int width;         /* negative: left-aligned; 0: the last column, as wide as its text */
	struct text_form form;
};

/* Returns the heading of a column. */
const char *text_column_label(const struct text_column *c);

/* Returns the table with these columns, which are stored in `shown`, in place of its own. */
struct iot_table text_table(const struct text_column *column, size_t columns,
			    const struct iot_table *table,
			    struct iot_column shown[PRINT_COLUMNS_MAX]);

/*
 * Writes the headings, and a line for each row of the table, whose own columns are not used. title:
 * the heading of a last column without a width, or what follows the headings; NULL: none.
 */
void print_text(struct output *o, const struct text_column *column, size_t columns,
		const char *title, const struct iot_table *table);
/* Writes the rows without headings: more rows of a table of which some are written. */
void print_text_rows(struct output *o, const struct text_column *column, size_t columns,
		     const struct iot_table *table);

/* clang-format off */
#define TEXT_UNIT(metric, label, width, digits, unit) {COLUMN(metric), label, width, {digits, unit}}
#define TEXT_AS(metric, label, width, digits)  TEXT_UNIT(metric, label, width, digits, TEXT_DEFAULT)
#define TEXT(metric, width, digits)            TEXT_AS(metric, NULL, width, digits)
#define TEXT_READ(metric, width, digits) \
	{COLUMN_READ(metric), NULL, width, {digits, TEXT_DEFAULT}}
#define TEXT_WRITE(metric, width, digits) \
	{COLUMN_WRITE(metric), NULL, width, {digits, TEXT_DEFAULT}}
/* clang-format on */

#endif
