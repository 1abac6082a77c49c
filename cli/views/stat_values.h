/* SPDX-License-Identifier: BSD-2-Clause */
/* The values in a row of `iotrace stat`; `iotrace top` shows them as well. */
#ifndef CLI_VIEWS_STAT_VALUES_H
#define CLI_VIEWS_STAT_VALUES_H

#include "cli/stat/results.h"
#include "lib/result/columns.h"
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

/* clang-format off */
#define STAT_COUNTERS \
	COLUMN(opens), COLUMN_READ_AS(requests, "reads"), COLUMN_WRITE_AS(requests, "writes"), \
	COLUMN_READ_AS(bytes, "read_bytes"), COLUMN_WRITE_AS(bytes, "written_bytes"), \
	COLUMN(io_ns), COLUMN(timed), COLUMN(followers), COLUMN(located), \
	COLUMN(sequential), COLUMN(same_size), COLUMN(sizes)
#define STAT_VALUES \
	COLUMN(process), COLUMN(file), COLUMN(object), COLUMN(rank), COLUMN(name), \
	COLUMN(first_path), COLUMN(input), STAT_COUNTERS, COLUMN(first_ns), COLUMN(last_ns)
#define STAT_SAMPLED \
	COLUMN(name), COLUMN(sample_count), COLUMN(opens), \
	COLUMN_READ_AS(requests, "reads"), COLUMN_WRITE_AS(requests, "writes"), \
	COLUMN_READ_AS(bytes, "read_bytes"), COLUMN_WRITE_AS(bytes, "written_bytes")
#define STAT_CALLS \
	COLUMN(name), COLUMN(operation_kind), COLUMN(calls), \
	COLUMN(failed), COLUMN(timed), COLUMN(operation_ns)
/* clang-format on */

/* Fill the columns of the same name, of the row of the struct stat_view. */
void stat_set_counters(struct iot_row *to, void *source);
void stat_set_values(struct iot_row *to, void *source);
/* results: the source shows whether calls failed. */
void stat_set_calls(struct iot_row *to, const struct iot_stats_operation *o, bool results);
/* Returns the table for the member `sizes` of the view. */
struct iot_table stat_sizes_table(struct stat_view *v);

#endif
