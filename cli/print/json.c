/* SPDX-License-Identifier: BSD-2-Clause */
#include "json.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "form.h"
#include "quantity.h"

enum { KEY_CAPACITY = 64 };

static void write_cell(struct json *j, const char *key, const struct iot_column *column,
		       const struct iot_cell *cell)
{
	if (cell->kind == IOT_TABLE)
		print_json(j, key, cell->table);
	else
		quantity_json(j, key, column->metric->quantity, cell);
}

/* Returns whether this column and the next one are the reads and the writes of a metric. */
static bool is_pair(const struct iot_table *t, size_t i)
{
	const struct iot_column *reads = &t->column[i], *writes = reads + 1;
	return i + 1 < t->columns && reads->metric == writes->metric && reads->name == NULL &&
	       reads->direction == IOT_READS && writes->direction == IOT_WRITES;
}

static void write_pair(struct json *j, const struct iot_column *reads, const struct iot_cell *cell)
{
	if (cell->kind == IOT_UNKNOWN) {
		json_null(j, reads->metric->name);
		return;
	}
	json_open(j, reads->metric->name, '{');
	write_cell(j, "reads", reads, &cell[0]);
	write_cell(j, "writes", reads, &cell[1]);
	json_close(j, '}');
}

/* A row of a large table should not copy the names that columns have already. */
static const char *key_of(const struct iot_column *column, char name[IOT_COLUMN_NAME])
{
	return column->name != NULL ? column->name : iot_column_name(column, name);
}

static void write_members(struct json *j, const struct iot_table *table, size_t row)
{
	struct iot_cell cell[PRINT_COLUMNS_MAX];
	char name[IOT_COLUMN_NAME];
	assert(table->columns <= PRINT_COLUMNS_MAX);
	iot_table_row(table, row, cell);
	for (size_t i = 0; i < table->columns; i++) {
		if (is_pair(table, i)) {
			write_pair(j, &table->column[i], &cell[i]);
			i++;
		} else
			write_cell(j, key_of(&table->column[i], name), &table->column[i], &cell[i]);
	}
}

static void write_map(struct json *j, const struct iot_table *t)
{
	struct iot_cell cell[2];
	char key[KEY_CAPACITY];
	assert(t->columns == 2);
	for (size_t row = 0; row < t->rows; row++) {
		iot_table_row(t, row, cell);
		write_cell(j, quantity_key(key, sizeof key, &cell[0]), &t->column[1], &cell[1]);
	}
}

static void write_list(struct json *j, const struct iot_table *t)
{
	struct iot_cell cell;
	assert(t->columns == 1);
	for (size_t row = 0; row < t->rows; row++) {
		iot_table_row(t, row, &cell);
		write_cell(j, NULL, &t->column[0], &cell);
	}
}

static void write_rows(struct json *j, const struct iot_table *t, bool lines)
{
	for (size_t row = 0; row < t->rows; row++) {
		if (lines) {
			output_text(j->out, row > 0 ? ",\n" : "\n");
			j->comma = false;
		}
		json_open(j, NULL, '{');
		write_members(j, t, row);
		json_close(j, '}');
	}
	if (lines && t->rows > 0)
		output_text(j->out, "\n");
}

/* Returns whether each row of this member has a line although the document has no lines. */
static bool has_lines(const struct json *j, const char *key)
{
	return j->lines != NULL && key != NULL && strcmp(key, j->lines) == 0;
}

void print_json(struct json *j, const char *key, const struct iot_table *table)
{
	const bool array = table->shape == IOT_SHAPE_ROWS || table->shape == IOT_SHAPE_LIST;
	json_open(j, key, array ? '[' : '{');
	switch (table->shape) {
	case IOT_SHAPE_ROWS:
		write_rows(j, table, has_lines(j, key));
		break;
	case IOT_SHAPE_RECORD:
		write_members(j, table, 0);
		break;
	case IOT_SHAPE_LIST:
		write_list(j, table);
		break;
	case IOT_SHAPE_MAP:
		write_map(j, table);
		break;
	}
	json_close(j, array ? ']' : '}');
}

void print_json_compact(struct output *o, const struct iot_table *table)
{
	print_json(&(struct json){.out = o}, NULL, table);
}

void print_json_list(struct json *j)
{
	json_open(j, NULL, '[');
}

void print_json_list_end(struct json *j)
{
	json_close(j, ']');
}

static void print(struct output *o, const struct iot_table *table, const char *lines)
{
	struct json j = {.out = o, .pretty = lines == NULL, .lines = lines};
	print_json(&j, NULL, table);
}

PRINT_FORM(json, 'j', "print " document "JSON") = {"json", true, print, NULL};
