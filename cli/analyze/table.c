/* SPDX-License-Identifier: BSD-2-Clause */
#include "table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ui/printable.h"

#include "row_value.h"

enum { FIELD = 32, COLUMNS = 10, NAME_CAPACITY = 4096 };

void analyze_json_value(struct json *j, const char *key, const struct iot_analyze_value *v)
{
	char text[ANALYZE_TEXT_MAX];
	if (v->kind == IOT_VALUE_NUMBER)
		json_number(j, key, v->number);
	else if (v->kind == IOT_VALUE_REAL)
		json_exact(j, key, v->real);
	else if (v->kind == IOT_VALUE_TEXT)
		json_text(j, key, text, analyze_decode(text, v->text));
	else
		json_null(j, key);
}

void analyze_tsv_value(struct output *out, const struct iot_analyze_value *v)
{
	char text[ANALYZE_TEXT_MAX], real[REAL_CAPACITY];
	if (v->kind == IOT_VALUE_NUMBER)
		output_printf(out, "%ju", (uintmax_t)v->number);
	else if (v->kind == IOT_VALUE_REAL)
		output_text(out, printable_real(real, v->real));
	else if (v->kind == IOT_VALUE_TEXT)
		output_encoded(out, text, analyze_decode(text, v->text));
}

/* TSV: a column for each value */

static void tsv_head(struct output *out, const struct iot_analyze_row *row)
{
	output_text(out, "key");
	for (size_t i = 0; i < row->count; i++)
		output_printf(out, "\t%s", row->values[i].name);
	output_text(out, "\n");
}

static void tsv_row(struct output *out, const struct iot_analyze_row *row)
{
	char text[ANALYZE_TEXT_MAX];
	if (row->key.data != NULL)
		output_encoded(out, text, analyze_decode(text, row->key));
	for (size_t i = 0; i < row->count; i++) {
		output_text(out, "\t");
		analyze_tsv_value(out, &row->values[i]);
	}
	output_text(out, "\n");
}

static int print_tsv(struct output *out, struct iot_analyze *a, size_t rows)
{
	struct iot_analyze_row row;
	for (size_t i = 0; i < rows; i++) {
		if (iot_analyze_row(a, i, &row) != IOT_OK)
			return IOT_ENOMEM;
		if (i == 0)
			tsv_head(out, &row);
		tsv_row(out, &row);
	}
	return IOT_OK;
}

/* JSON: {"by": BY, "rows": {KEY: {NAME: VALUE, ...}, ...}} */

static void json_row(struct json *j, const struct iot_analyze_row *row)
{
	json_open(j, NULL, '{');
	char text[ANALYZE_TEXT_MAX];
	if (row->key.data != NULL)
		json_text(j, "key", text, analyze_decode(text, row->key));
	else
		json_null(j, "key");
	for (size_t i = 0; i < row->count; i++)
		analyze_json_value(j, row->values[i].name, &row->values[i]);
	json_close(j, '}');
}

static int print_json(struct output *out, struct iot_analyze *a, size_t rows, const char *by)
{
	struct json j = {.out = out, .pretty = true};
	struct iot_analyze_row row;
	json_open(&j, NULL, '{');
	json_text(&j, "by", by, strlen(by));
	json_open(&j, "rows", '[');
	for (size_t i = 0; i < rows; i++) {
		if (iot_analyze_row(a, i, &row) != IOT_OK)
			return IOT_ENOMEM;
		json_row(&j, &row);
	}
	json_close(&j, ']');
	json_close(&j, '}');
	return IOT_OK;
}

/* Text: some of the values, and the key or path */

enum column_form { COUNT, BYTES, SECONDS, PERCENT, WORD };

struct table_column {
	const char *heading, *name;
	enum column_form as;
	int width;
};

struct table_layout {
	const char *by;
	struct table_column columns[COLUMNS]; /* heading NULL: no more */
	const char *name; /* of the value that follows the columns; NULL: the key */
	const char *heading;
};

#define IO_COLUMNS                                                                                 \
	{"reads", "reads", COUNT, 9}, {"writes", "writes", COUNT, 9},                              \
	    {"read", "read_bytes", BYTES, 10}, {"written", "written_bytes", BYTES, 10},            \
	{                                                                                          \
		"in I/O s", "io_ns", SECONDS, 11                                                   \
	}

#define GROUP_COLUMNS(MEMBERS, WIDTH)                                                              \
	IO_COLUMNS, {"in ops s", "operation_time_ns", SECONDS, 11}, {"opens", "opens", COUNT, 6},  \
	{                                                                                          \
		MEMBERS, MEMBERS, COUNT, WIDTH                                                     \
	}

static const struct table_layout layouts[] = {
    [IOT_ANALYZE_BY_PROCESS] = {"process",
				{IO_COLUMNS,
				 {"in ops s", "operation_time_ns", SECONDS, 11},
				 {"opens", "opens", COUNT, 6},
				 {"files", "files", COUNT, 6},
				 {"rank", "rank", COUNT, 6}},
				NULL,
				"process"},
    [IOT_ANALYZE_BY_RANK] = {"rank", {GROUP_COLUMNS("processes", 9)}, NULL, "rank"},
    [IOT_ANALYZE_BY_HOST] = {"host", {GROUP_COLUMNS("processes", 9)}, NULL, "host"},
    [IOT_ANALYZE_BY_DIRECTORY] = {"dir", {GROUP_COLUMNS("files", 6)}, NULL, "directory"},
    [IOT_ANALYZE_BY_FILE] = {"file",
			     {{"opens", "opens", COUNT, 6},
			      IO_COLUMNS,
			      {"procs", "processes", COUNT, 5},
			      {"extent", "extent", BYTES, 10},
			      {"seq", "sequential_share", PERCENT, 5},
			      {"pattern", "pattern", WORD, 14}},
			     "path",
			     "path"},
    [IOT_ANALYZE_BY_OPERATION] = {"op",
				  {{"calls", "calls", COUNT, 9},
				   {"failed", "failed", COUNT, 9},
				   {"time s", "operation_ns", SECONDS, 11},
				   {"mean s", "operation_mean_ns", SECONDS, 11},
				   {"max s", "operation_max_ns", SECONDS, 11},
				   {"kind", "operation_kind", WORD, 11}},
				  NULL,
				  "operation"},
};

static const char *column_text(char text[FIELD], enum column_form as,
			       const struct iot_analyze_value *v)
{
	if (v == NULL || v->kind == IOT_VALUE_UNKNOWN)
		return "-";
	const double real = v->kind == IOT_VALUE_NUMBER ? (double)v->number : v->real;
	if (as == COUNT)
		snprintf(text, FIELD, "%ju", (uintmax_t)v->number);
	else if (as == BYTES)
		printable_bytes(text, FIELD, v->number);
	else if (as == SECONDS)
		snprintf(text, FIELD, "%.6f", real / 1e9);
	else if (as == PERCENT)
		snprintf(text, FIELD, "%.0f%%", 100 * real);
	else
		snprintf(text, FIELD, "%.*s", (int)v->text.size, v->text.data);
	return text;
}

bool analyze_file_label(char *label, size_t size, const char *key)
{
	static const char object[] = "object/", stream[] = "stream/";
	char *end;
	if (strncmp(key, object, sizeof object - 1) == 0) {
		snprintf(label, size, "object %s", key + sizeof object - 1);
		return true;
	}
	if (strncmp(key, stream, sizeof stream - 1) != 0)
		return false;
	const unsigned long process = strtoul(key + sizeof stream - 1, &end, 10);
	snprintf(label, size, "file %s of process %lu", end + (*end == '/'), process);
	return true;
}

/* The path of a row, or its key. */
static void text_name(struct output *out, const struct table_layout *l,
		      const struct iot_analyze_row *row)
{
	const struct iot_analyze_value *v =
	    l->name != NULL ? analyze_row_value(row, l->name) : NULL;
	const bool named = v != NULL && v->kind == IOT_VALUE_TEXT;
	char text[ANALYZE_TEXT_MAX], name[NAME_CAPACITY];
	const struct iot_text shown = named ? v->text : row->key;
	if (shown.data == NULL)
		output_text(out, "  -\n");
	else if (l->name != NULL && !named && analyze_file_label(name, sizeof name, shown.data))
		output_printf(out, "  %s\n", name);
	else
		output_printf(out, "  %s\n",
			      printable(name, sizeof name, text, analyze_decode(text, shown)));
}

static int print_text(struct output *out, struct iot_analyze *a, size_t rows, size_t all,
		      const struct table_layout *l)
{
	struct iot_analyze_row row;
	char text[FIELD];
	for (const struct table_column *c = l->columns; c < l->columns + COLUMNS && c->heading; c++)
		output_printf(out, "%s%*s", c > l->columns ? " " : "", c->width, c->heading);
	output_printf(out, "  %s\n", l->heading);
	for (size_t i = 0; i < rows; i++) {
		if (iot_analyze_row(a, i, &row) != IOT_OK)
			return IOT_ENOMEM;
		for (const struct table_column *c = l->columns;
		     c < l->columns + COLUMNS && c->heading; c++)
			output_printf(out, "%s%*s", c > l->columns ? " " : "", c->width,
				      column_text(text, c->as, analyze_row_value(&row, c->name)));
		text_name(out, l, &row);
	}
	if (rows < all)
		output_printf(out, "and %zu more; see --top\n", all - rows);
	return IOT_OK;
}

int analyze_table_print(struct output *out, struct iot_analyze *a, enum iot_analyze_by by,
			enum analyze_form form, uint64_t top)
{
	const ssize_t all = iot_analyze_rows(a, by);
	if (all < 0)
		return (int)all;
	const size_t rows = top < (size_t)all ? (size_t)top : (size_t)all;
	if (form == ANALYZE_JSON)
		return print_json(out, a, rows, layouts[by].by);
	if (form == ANALYZE_TSV)
		return print_tsv(out, a, rows);
	return print_text(out, a, rows, (size_t)all, &layouts[by]);
}
