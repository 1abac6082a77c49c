/* SPDX-License-Identifier: BSD-2-Clause */
#include "workflow.h"

#include <stdbool.h>
#include <stdio.h>

#include "cli/print/quantity.h"
#include "lib/result/columns.h"
#include "lib/result/row.h"

/* The values of the record that are not tables. */
enum { TOTALS = 4, LEFT_OUT = 3 /* the last one */ };

static void set_flow(struct iot_row *to, void *source)
{
	const struct workflow_view *v = source;
	const struct workflow_flow *f = &v->workflow->flows[to->number];
	row_word(to, &metrics.writer, f->writer);
	row_word(to, &metrics.reader, f->reader);
	row_number(to, &metrics.files, f->files);
	row_number(to, &metrics.bytes, f->bytes);
}

static void set_file(struct iot_row *to, void *source)
{
	const struct workflow_view *v = source;
	const struct workflow_file *f = &v->workflow->files[to->number];
	row_text(to, &metrics.path, f->path, f->path_size);
	row_number(to, &metrics.writers, f->writers);
	row_number(to, &metrics.readers, f->readers);
	row_number(to, &metrics.bytes, f->bytes);
}

static void set_workflow(struct iot_row *to, void *source)
{
	const struct workflow_view *v = source;
	const struct analyze_workflow *w = v->workflow;
	row_number(to, &metrics.files, w->file_count);
	row_number(to, &metrics.bytes, w->bytes);
	row_number(to, &metrics.flows, w->flow_count);
	row_number(to, &metrics.uses_left_out, w->left_out);
	row_number(to, &metrics.lower_bound, workflow_note(w)[0] != '\0');
	row_table(to, &metrics.top_flows, &v->flows);
	row_table(to, &metrics.top_files, &v->files);
}

void workflow_view(struct workflow_view *v, const struct analyze_workflow *w, uint64_t top)
{
	static const struct iot_column flows[] =
	    COLUMN_LIST(COLUMN(writer), COLUMN(reader), COLUMN(files), COLUMN(bytes));
	static const struct iot_column files[] =
	    COLUMN_LIST(COLUMN(path), COLUMN(writers), COLUMN(readers), COLUMN(bytes));
	static const struct iot_column columns[] =
	    COLUMN_LIST(COLUMN(files), COLUMN(bytes), COLUMN(flows), COLUMN(uses_left_out),
			COLUMN(lower_bound), COLUMN(top_flows), COLUMN(top_files));
	*v = (struct workflow_view){
	    .workflow = w,
	    .table = TABLE_RECORD(columns, set_workflow, v),
	    .flows = TABLE_ROWS(flows, workflow_shown(w->flow_count, top), set_flow, v),
	    .files = TABLE_ROWS(files, workflow_shown(w->file_count, top), set_file, v)};
	v->flat_rows = TOTALS + v->flows.rows * v->flows.columns + v->files.rows * v->files.columns;
}

/* Sets a column of a row of a table, whose key is the number of the row from 1 on, or none. */
static void set_flat(struct iot_row *to, const char *prefix, const struct iot_table *t, size_t row,
		     size_t column, bool numbered)
{
	static char name[2 * IOT_COLUMN_NAME];
	char plain[IOT_COLUMN_NAME];
	struct iot_cell cell[PRINT_COLUMNS_MAX];
	const bool is_bytes = t->column[column].metric->quantity == IOT_BYTES;
	iot_table_row(t, row, cell);
	snprintf(name, sizeof name, "%s%s", prefix, iot_column_name(&t->column[column], plain));
	row_word(to, &metrics.section, "workflow");
	row_word(to, &metrics.name, name);
	row_word(to, &metrics.unit, is_bytes ? "bytes" : "");
	*row_cell(to, &metrics.value, IOT_BOTH) = cell[column];
	if (numbered)
		row_number(to, &metrics.value_key, row + 1);
}

void workflow_flat_row(struct iot_row *to, struct workflow_view *v, size_t row)
{
	const size_t flows = v->flows.columns * v->flows.rows;
	if (row < TOTALS)
		set_flat(to, "", &v->table, 0, row, false);
	else if (row - TOTALS < flows)
		set_flat(to, "flow_", &v->flows, (row - TOTALS) / v->flows.columns,
			 (row - TOTALS) % v->flows.columns, true);
	else
		set_flat(to, "file_", &v->files, (row - TOTALS - flows) / v->files.columns,
			 (row - TOTALS - flows) % v->files.columns, true);
	if (row_cell(to, &metrics.value, IOT_BOTH)->kind == IOT_INTEGER && row != LEFT_OUT)
		row_word(to, &metrics.note, workflow_note(v->workflow));
}
