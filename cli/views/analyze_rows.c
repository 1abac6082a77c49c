/* SPDX-License-Identifier: BSD-2-Clause */
#include "analyze_rows.h"

#include <assert.h>

#include "cli/analyze/row_value.h"
#include "cli/print/text.h"
#include "lib/result/columns.h"
#include "lib/result/names.h"
#include "lib/result/row.h"

#include "values.h"

enum { NAME_CAPACITY = 4096 };

/* What text shows: some of the values, and the name in the last column. */
struct rows_layout {
	const char *by, *heading;
	const struct text_column *column;
	size_t columns;
};

struct rows_view {
	struct iot_analyze *analysis;
	const struct rows_layout *layout;
	int status; /* of the rows that were read */
	struct iot_column column[PRINT_COLUMNS_MAX];
	size_t columns;
	struct iot_table rows;
	struct value_texts texts;
	char name[NAME_CAPACITY], path[ROW_PATH];
};

/* clang-format off */
#define AS(metric, label, width)  TEXT_AS(metric, label, width, 6)
#define READ(metric, width)       TEXT_READ(metric, width, 6)
#define WRITE(metric, width)      TEXT_WRITE(metric, width, 6)
/* clang-format on */
#define IO_COLUMNS                                                                                 \
	READ(requests, 9), WRITE(requests, 9), READ(bytes, 10), WRITE(bytes, 10),                  \
	    AS(io_ns, "in I/O s", 11)
#define GROUP_COLUMNS IO_COLUMNS, AS(operation_time_ns, "in ops s", 11), AS(opens, "opens", 6)

static const struct text_column process_columns[] =
    COLUMN_LIST(GROUP_COLUMNS, AS(files, "files", 6), AS(rank, "rank", 6), AS(name, "process", 0));
static const struct text_column group_columns[] =
    COLUMN_LIST(GROUP_COLUMNS, AS(processes, "processes", 9), AS(name, "group", 0));
static const struct text_column directory_columns[] =
    COLUMN_LIST(GROUP_COLUMNS, AS(files, "files", 6), AS(name, "directory", 0));
static const struct text_column file_columns[] =
    COLUMN_LIST(AS(opens, "opens", 6), IO_COLUMNS, AS(processes, "procs", 5),
		AS(extent, "extent", 10), TEXT_UNIT(sequential_share, "seq", 5, 0, TEXT_SIGN),
		AS(pattern, "pattern", 14), AS(name, "path", 0));
static const struct text_column operation_columns[] =
    COLUMN_LIST(AS(calls, "calls", 9), AS(failed, "failed", 9), AS(operation_ns, "time s", 11),
		AS(operation_mean_ns, "mean s", 11), AS(operation_max_ns, "max s", 11),
		AS(operation_kind, "kind", 11), AS(name, "operation", 0));

#define LAYOUT(by, heading, columns)                                                               \
	{                                                                                          \
		by, heading, columns, COLUMN_COUNT(columns)                                        \
	}

static const struct rows_layout layouts[] = {
    [IOT_ANALYZE_BY_PROCESS] = LAYOUT("process", "process", process_columns),
    [IOT_ANALYZE_BY_RANK] = LAYOUT("rank", "rank", group_columns),
    [IOT_ANALYZE_BY_HOST] = LAYOUT("host", "host", group_columns),
    [IOT_ANALYZE_BY_DIRECTORY] = LAYOUT("dir", "directory", directory_columns),
    [IOT_ANALYZE_BY_FILE] = LAYOUT("file", "path", file_columns),
    [IOT_ANALYZE_BY_OPERATION] = LAYOUT("op", "operation", operation_columns),
};

/* Files have their path, or what their key says; other rows have their key. */
static void set_name(struct iot_row *to, struct rows_view *v, const struct iot_analyze_row *row)
{
	const bool by_file = v->layout->column == file_columns;
	const struct iot_text path =
	    by_file ? analyze_row_path(row, v->path) : (struct iot_text){NULL, 0};
	if (path.data != NULL)
		value_set_text(to, &metrics.name, path, &v->texts);
	else if (by_file && row->key.data != NULL &&
		 analyze_file_label(v->name, sizeof v->name, row->key.data))
		row_word(to, &metrics.name, v->name);
	else
		value_set_text(to, &metrics.name, row->key, &v->texts);
}

static void set_row(struct iot_row *to, void *source)
{
	struct rows_view *v = source;
	struct iot_analyze_row row;
	const int status = iot_analyze_row(v->analysis, to->number, &row);
	v->texts.used = 0;
	if (status != IOT_OK) {
		v->status = status;
		return;
	}
	value_set_text(to, &metrics.key, row.key, &v->texts);
	for (size_t i = 0; i < row.count; i++) {
		const struct iot_column *c = &v->column[i + 1];
		struct iot_cell *cell = row_cell(to, c->metric, c->direction);
		if (cell != NULL)
			value_cell(cell, &row.values[i], &v->texts);
	}
	if (to->table->column != v->column)
		set_name(to, v, &row);
}

/* A column for the key, and one for each value of the first row. */
static int make_columns(struct rows_view *v, size_t rows)
{
	struct iot_analyze_row row = {.count = 0};
	const int status = rows > 0 ? iot_analyze_row(v->analysis, 0, &row) : IOT_OK;
	if (status != IOT_OK)
		return status;
	assert(row.count < PRINT_COLUMNS_MAX);
	v->column[0] = (struct iot_column)COLUMN(key);
	v->columns = row.count + 1;
	for (size_t i = 0; i < row.count; i++) {
		struct iot_column *c = &v->column[i + 1];
		c->name = row.values[i].name;
		c->metric = iot_metric_find(c->name, &c->direction);
		if (c->metric == NULL)
			*c = (struct iot_column){&metrics.value, IOT_BOTH, c->name};
	}
	v->rows = (struct iot_table){IOT_SHAPE_ROWS, v->columns, rows, v->column, set_row, v};
	return IOT_OK;
}

static void set_document(struct iot_row *to, void *source)
{
	const struct rows_view *v = source;
	row_word(to, &metrics.by, v->layout->by);
	row_table(to, &metrics.rows, &v->rows);
}

static void print(struct rows_view *v, struct output *out, const struct print_form *form,
		  size_t all)
{
	static const struct iot_column columns[] = COLUMN_LIST(COLUMN(by), COLUMN(rows));
	const struct iot_table document = TABLE_RECORD(columns, set_document, v);
	const struct rows_layout *l = v->layout;
	if (form != NULL) {
		if (form->is_nested || v->rows.rows > 0)
			print_in_form(form, out, &document, &v->rows);
		return;
	}
	print_text(out, l->column, l->columns, l->heading, &v->rows);
	if (v->rows.rows < all)
		output_printf(out, "and %zu more; see --top\n", all - v->rows.rows);
}

int analyze_rows_print(struct output *out, struct iot_analyze *a, enum iot_analyze_by by,
		       const struct print_form *form, uint64_t top)
{
	struct rows_view v = {.analysis = a, .layout = &layouts[by], .status = IOT_OK};
	const ssize_t all = iot_analyze_rows(a, by);
	if (all < 0)
		return (int)all;
	const int status = make_columns(&v, top < (size_t)all ? (size_t)top : (size_t)all);
	if (status != IOT_OK)
		return status;
	print(&v, out, form, (size_t)all);
	return v.status;
}
