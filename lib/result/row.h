/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fills a row of a table by metric:
 *
 *	static void fill(struct iot_row *row, void *source)
 *	{
 *		const struct cache_counts *counts = source;
 *		row_number(row, &metrics.evictions, counts[row->number].evictions);
 *	}
 *
 * A function that fills rows sets all metrics that it knows; those without a column are ignored.
 * So one function serves every selection of columns, and a value cannot appear under a wrong name.
 * A metric with several columns is set once for each, in order. A cell that is not set is unknown.
 */
#ifndef IOTRACE_LIB_RESULT_ROW_H
#define IOTRACE_LIB_RESULT_ROW_H

#include <stdbool.h>

#include "metrics.h"

struct iot_row {
	const struct iot_table *table;
	size_t number; /* in the table */
	struct iot_cell *cell;
	size_t next; /* the column after the one that was set last, where the search begins */
};

/* Returns the cell of a metric, or NULL if the table has no such column. */
struct iot_cell *row_cell(struct iot_row *r, const struct iot_metric *m,
			  enum iot_direction direction);

void row_number(struct iot_row *r, const struct iot_metric *m, uint64_t value);
void row_number_of(struct iot_row *r, const struct iot_metric *m, enum iot_direction direction,
		   uint64_t value);
/* Leaves the cell unknown unless the value is known. */
void row_known(struct iot_row *r, const struct iot_metric *m, bool known, uint64_t value);
/* why: the reason why the value is only a lower bound; NULL: it is exact. */
void row_bounded(struct iot_row *r, const struct iot_metric *m, uint64_t value, const char *why);
void row_signed(struct iot_row *r, const struct iot_metric *m, int64_t value);
/* Leave the cell unknown if the value is not finite. */
void row_real(struct iot_row *r, const struct iot_metric *m, double value);
void row_real_of(struct iot_row *r, const struct iot_metric *m, enum iot_direction direction,
		 double value);
/* The text has to remain valid until the next row is read; NULL: absent. */
void row_text(struct iot_row *r, const struct iot_metric *m, const char *text, size_t size);
void row_word(struct iot_row *r, const struct iot_metric *m, const char *text);
/* NULL: absent. */
void row_table(struct iot_row *r, const struct iot_metric *m, const struct iot_table *table);
/* In all directions. */
void row_absent(struct iot_row *r, const struct iot_metric *m);

/* Values of reads, writes and both. */
void row_counts(struct iot_row *r, const struct iot_metric *m, const uint64_t counts[2]);
/* Shares of the parts in the wholes, by direction; unknown if the whole is 0. */
void row_shares(struct iot_row *r, const struct iot_metric *m, const uint64_t parts[2],
		const uint64_t wholes[2]);

#endif
