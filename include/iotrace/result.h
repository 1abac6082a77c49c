/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libiotrace: results as tables. A metric is a quantity that has a name, a unit and a definition; a
 * column of a table shows a metric, and a cell is its value in a row.
 *
 *	static void print(const struct iot_table *t)
 *	{
 *		char name[IOT_COLUMN_NAME];
 *		struct iot_cell cell[t->columns];
 *		for (size_t row = 0; row < t->rows; row++) {
 *			iot_table_row(t, row, cell);
 *			for (size_t i = 0; i < t->columns; i++) {
 *				iot_column_name(&t->column[i], name);
 *				if (cell[i].kind == IOT_INTEGER)
 *					printf("%s %ju\n", name, (uintmax_t)cell[i].integer);
 *				else if (cell[i].kind == IOT_UNKNOWN)
 *					printf("%s is not known\n", name);
 *			}
 *		}
 *	}
 *
 * A table computes a row when it is read, so a table of a million files needs no memory of its own.
 * It belongs to the results that it shows, which have to outlive it; texts and nested tables in the
 * cells of a row are valid until the next row of the table is read. A table may be read by one
 * thread at a time. Metrics are constant: any thread may use them.
 */
#ifndef IOTRACE_RESULT_H
#define IOTRACE_RESULT_H

#include <iotrace/iotrace.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a value measures, which determines how it is printed. Later versions may add quantities. */
enum iot_quantity {
	IOT_COUNT,       /* a number of things */
	IOT_BYTES,       /* bytes */
	IOT_NS,          /* a time or a duration in nanoseconds */
	IOT_SHARE,       /* a part of a whole, 0 to 1 */
	IOT_RATIO,       /* a mean, or the quotient of two values of one unit */
	IOT_BYTES_PER_S, /* bytes per second */
	IOT_PER_S,       /* things per second */
	IOT_ID,          /* a number that identifies something, such as a process */
	IOT_FLAG,        /* 1: true, 0: false */
	IOT_WORD,        /* printable text: a word of the program's own, or an escaped name */
	IOT_NAME,        /* a name from the trace: any bytes, to be escaped */
	IOT_NESTED,      /* a table */
};

/* How much a reader has to know to want a metric. */
enum iot_detail {
	IOT_MAIN,   /* part of a summary */
	IOT_DETAIL, /* explains a value of the summary */
	IOT_BINS,   /* a distribution */
};

enum iot_split {
	IOT_ONE,          /* one value */
	IOT_BY_DIRECTION, /* values of reads, of writes, and of both together */
};

struct iot_metric {
	const char *name;       /* lower case, words joined by '_': "miss_ratio" */
	const char *label;      /* the heading in text: "misses" */
	const char *definition; /* one sentence */
	enum iot_quantity quantity;
	enum iot_detail detail;
	enum iot_split split;
	const char *symbol; /* in the study that defines the metric: "N"; NULL: none */
};

enum iot_direction { IOT_BOTH, IOT_READS, IOT_WRITES };

/* Returns metric i of the library's list, in no particular order; NULL after the last one. */
IOT_API const struct iot_metric *iot_metric_at(size_t i);
/*
 * Returns the metric of a name in a result, such as "written_bytes", and stores its direction;
 * NULL if the library has no such metric.
 */
IOT_API const struct iot_metric *iot_metric_find(const char *name, enum iot_direction *direction);

struct iot_column {
	const struct iot_metric *metric;
	enum iot_direction direction; /* IOT_BOTH unless the metric is IOT_BY_DIRECTION */
	const char *name;             /* NULL: the metric's */
};

enum { IOT_COLUMN_NAME = 64 }; /* bytes of a column's name, with NUL */

/*
 * Writes the name of a column, and returns it. Unless the column has a name of its own, this is the
 * metric's, after "read_" or "write_" ("written_" if the metric is bytes) in a column of one
 * direction; the columns of `requests` are `reads` and `writes`.
 */
IOT_API const char *iot_column_name(const struct iot_column *column, char name[IOT_COLUMN_NAME]);

/* Later versions may add kinds. */
enum iot_cell_kind {
	IOT_UNKNOWN, /* the trace does not say, or the value is not defined; never printed as 0 */
	IOT_ABSENT,  /* the row cannot have this value: a file without a rank */
	IOT_INTEGER,
	IOT_SIGNED,
	IOT_REAL, /* finite */
	IOT_TEXT,
	IOT_TABLE,
};

struct iot_cell {
	enum iot_cell_kind kind;
	union {
		uint64_t integer;
		int64_t signed_integer;
		double real;
		struct iot_text text;
		const struct iot_table *table;
	};
	/*
	 * NULL, or why an unknown value is unknown, or why a known one is only a lower bound: a
	 * clause such as "durations of some I/Os are not known".
	 */
	const char *why;
};

enum iot_shape {
	IOT_SHAPE_ROWS,   /* any number of rows, in order */
	IOT_SHAPE_RECORD, /* one row */
	IOT_SHAPE_LIST,   /* rows of one column: a list of its values */
	IOT_SHAPE_MAP,    /* the first column is a key, the second its value */
};

struct iot_row; /* the library's: the cells of a row that is being computed */

struct iot_table {
	enum iot_shape shape;
	size_t columns, rows;
	const struct iot_column *column;
	void (*fill)(struct iot_row *row, void *source); /* for iot_table_row() */
	void *source;
};

/* Stores the cells of a row, which is less than table->rows, in cell[0 .. columns - 1]. */
IOT_API void iot_table_row(const struct iot_table *table, size_t row, struct iot_cell *cell);

#ifdef __cplusplus
}
#endif

#endif
