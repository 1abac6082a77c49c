/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Initialisers of columns, for lists of what a table shows:
 *
 *	static const struct iot_column columns[] = COLUMN_LIST(COLUMN(policy), COLUMNS(hits));
 */
#ifndef IOTRACE_LIB_RESULT_COLUMNS_H
#define IOTRACE_LIB_RESULT_COLUMNS_H

#include "metrics.h"

/* clang-format off */
#define COLUMN(metric)            {&metrics.metric, IOT_BOTH, NULL}
#define COLUMN_READ(metric)       {&metrics.metric, IOT_READS, NULL}
#define COLUMN_WRITE(metric)      {&metrics.metric, IOT_WRITES, NULL}
/* One of reads and one of writes. */
#define COLUMNS(metric)           COLUMN_READ(metric), COLUMN_WRITE(metric)
/* A column with a name of its own. */
#define COLUMN_AS(metric, name)   {&metrics.metric, IOT_BOTH, name}
#define COLUMN_READ_AS(metric, name)  {&metrics.metric, IOT_READS, name}
#define COLUMN_WRITE_AS(metric, name) {&metrics.metric, IOT_WRITES, name}
/* clang-format on */

/* An array of columns; as arguments of a macro they are formatted in few lines. */
#define COLUMN_LIST(...)                                                                           \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}
#define COLUMN_COUNT(columns) (sizeof(columns) / sizeof(columns)[0])

/* Rows whose columns a printer of text selects. */
#define TABLE_FILLED(rows, fill, source)                                                           \
	{                                                                                          \
		IOT_SHAPE_ROWS, 0, rows, NULL, fill, source                                        \
	}
/* Tables with an array of columns. */
#define TABLE_ROWS(columns, rows, fill, source)                                                    \
	{                                                                                          \
		IOT_SHAPE_ROWS, COLUMN_COUNT(columns), rows, columns, fill, source                 \
	}
#define TABLE_RECORD(columns, fill, source)                                                        \
	{                                                                                          \
		IOT_SHAPE_RECORD, COLUMN_COUNT(columns), 1, columns, fill, source                  \
	}
#define TABLE_LIST(columns, rows, fill, source)                                                    \
	{                                                                                          \
		IOT_SHAPE_LIST, COLUMN_COUNT(columns), rows, columns, fill, source                 \
	}
#define TABLE_MAP(columns, rows, fill, source)                                                     \
	{                                                                                          \
		IOT_SHAPE_MAP, COLUMN_COUNT(columns), rows, columns, fill, source                  \
	}

#endif
