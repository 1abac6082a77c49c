/* SPDX-License-Identifier: BSD-2-Clause */
/* The values in a row of `iotrace stat`; `iotrace top` shows them as well. */
#ifndef CLI_VIEWS_STAT_VALUES_H
#define CLI_VIEWS_STAT_VALUES_H

#include "cli/stat/results.h"
#include "lib/result/row.h"

#include "ties.h"
#include "unseen.h"

/* The source of all tables: the row that is read, its classes of sizes, and nested tables. */
struct stat_view {
	const struct stat_results *results;
	const struct iot_stats_row *row;
	unsigned class[IOT_SIZE_CLASSES]; /* those that occur */
	uint64_t largest;                 /* the number of I/Os of the most frequent class */
	char label[STAT_LABEL];
	struct iot_table sizes, rows, total, direction[2], operations;
	struct unseen_view unseen;
	struct ties_view ties;
};

/* Fill the columns of the same name, of the row of the struct stat_view. */
void stat_set_counters(struct iot_row *to, void *source);
void stat_set_values(struct iot_row *to, void *source);
/* results: the source shows whether calls failed. */
void stat_set_calls(struct iot_row *to, const struct iot_stats_operation *o, bool results);

typedef void stat_fill(struct iot_row *to, void *source);
/* Return tables of nested forms. top: with the column `interval`, the last one. */
struct iot_table stat_counters_table(stat_fill *fill, void *source);
struct iot_table stat_values_table(size_t rows, stat_fill *fill, void *source, bool top);
struct iot_table stat_calls_table(size_t rows, stat_fill *fill, void *source, bool top);
/* Returns the table for the member `sizes` of the view. */
struct iot_table stat_sizes_table(struct stat_view *v);

#endif
