/* SPDX-License-Identifier: BSD-2-Clause */
#include "tsv.h"

#include <assert.h>
#include <math.h>

#include "form.h"
#include "quantity.h"

static void write_nested(struct output *o, const struct iot_table *t)
{
	struct iot_cell cell[PRINT_COLUMNS_MAX];
	assert(t->columns <= PRINT_COLUMNS_MAX);
	for (size_t row = 0; row < t->rows; row++) {
		output_text(o, row > 0 ? "," : "");
		iot_table_row(t, row, cell);
		for (size_t i = 0; i < t->columns; i++) {
			output_text(o, i > 0 ? ":" : "");
			quantity_tsv(o, t->column[i].metric->quantity, &cell[i]);
		}
	}
}

static void write_row(struct tsv *to, const struct iot_table *t, size_t row)
{
	struct iot_cell cell[PRINT_COLUMNS_MAX];
	iot_table_row(t, row, cell);
	for (size_t i = 0; i < t->columns; i++) {
		struct output *o = tsv_cell(to);
		if (cell[i].kind == IOT_TABLE)
			write_nested(o, cell[i].table);
		else
			quantity_tsv(o, t->column[i].metric->quantity, &cell[i]);
	}
}

void print_tsv_rows(struct output *o, const struct iot_table *table)
{
	struct tsv t = {.out = o, .columns = table->columns};
	assert(table->columns <= PRINT_COLUMNS_MAX);
	for (size_t row = 0; row < table->rows; row++)
		write_row(&t, table, row);
	tsv_end(&t);
}

void print_tsv(struct output *o, const struct iot_table *table)
{
	char name[IOT_COLUMN_NAME];
	struct tsv t = {.out = o, .columns = table->columns};
	for (size_t i = 0; i < table->columns; i++)
		tsv_word(&t, iot_column_name(&table->column[i], name));
	tsv_end(&t);
	print_tsv_rows(o, table);
}

static void print(struct output *o, const struct iot_table *table, const char *lines)
{
	(void)lines;
	print_tsv(o, table);
}

PRINT_FORM(tsv, 't', "print " rows " separated by tabs") = {"tsv", false, print, print_tsv_rows};

/* Cell by cell */

void tsv_begin(struct tsv *t, const char *const *names)
{
	t->columns = 0;
	while (names[t->columns] != NULL)
		t->columns++;
	for (size_t i = 0; i < t->columns; i++)
		tsv_word(t, names[i]);
}

void tsv_end(struct tsv *t)
{
	assert(t->at == t->columns || t->at == 0);
	if (t->at > 0)
		output_text(t->out, "\n");
	t->at = 0;
}

struct output *tsv_cell(struct tsv *t)
{
	if (t->at == t->columns)
		tsv_end(t);
	output_text(t->out, t->at++ > 0 ? "\t" : "");
	return t->out;
}

void tsv_unknown(struct tsv *t)
{
	(void)tsv_cell(t);
}

void tsv_number(struct tsv *t, uint64_t value)
{
	const struct iot_cell cell = {.kind = IOT_INTEGER, .integer = value};
	quantity_tsv(tsv_cell(t), IOT_COUNT, &cell);
}

void tsv_real(struct tsv *t, double value)
{
	const struct iot_cell cell = {.kind = isfinite(value) ? IOT_REAL : IOT_UNKNOWN,
				      .real = value};
	quantity_tsv(tsv_cell(t), IOT_RATIO, &cell);
}

void tsv_whole(struct tsv *t, double value)
{
	if (isfinite(value))
		tsv_number(t, (uint64_t)value);
	else
		tsv_unknown(t);
}

void tsv_word(struct tsv *t, const char *text)
{
	output_text(tsv_cell(t), text);
}

void tsv_name(struct tsv *t, const char *name, size_t size)
{
	output_encoded(tsv_cell(t), name, size);
}
