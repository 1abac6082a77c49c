/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables as columns separated by tabs: an unknown value is an empty field. */
#ifndef CLI_PRINT_TSV_H
#define CLI_PRINT_TSV_H

#include <iotrace/result.h>

#include "cli/ui/output.h"

/*
 * Writes a line with the names of the columns, and a line for each row. In the field of a nested
 * table, ',' separates rows, and ':' the cells of a row.
 */
void print_tsv(struct output *o, const struct iot_table *table);
/* Writes the lines of rows only: more rows of a table of which some are written. */
void print_tsv_rows(struct output *o, const struct iot_table *table);

/*
 * A table whose cells are written in order, where rows are not known in advance: the names of the
 * columns, then the cells of each row. Each row has one cell per column.
 *
 *	struct tsv t = {.out = o};
 *	tsv_begin(&t, (const char *const[]){"begin_s", "bytes", NULL});
 *	for (size_t i = 0; i < n; i++) {
 *		tsv_real(&t, begin_s[i]);
 *		tsv_number(&t, bytes[i]);
 *	}
 *	tsv_end(&t);
 */
struct tsv {
	struct output *out;
	size_t columns, at; /* of the row: its cells, and how many are written */
};

/* NULL follows the names. */
void tsv_begin(struct tsv *t, const char *const *names);
/* Ends the last row, or the row before others that are written later. */
void tsv_end(struct tsv *t);
/* Begins a cell, which the caller writes, and returns where. */
struct output *tsv_cell(struct tsv *t);
void tsv_unknown(struct tsv *t);
void tsv_number(struct tsv *t, uint64_t value);
/* Unknown unless finite; a whole value of less than 2^53 in tsv_whole(), 0 or more. */
void tsv_real(struct tsv *t, double value);
void tsv_whole(struct tsv *t, double value);
void tsv_word(struct tsv *t, const char *text);
/* A name from a trace, whose unprintable bytes are encoded. */
void tsv_name(struct tsv *t, const char *name, size_t size);

#endif
