/* SPDX-License-Identifier: BSD-2-Clause */
#include "workflow.h"

#include "lib/result/columns.h"
#include "lib/result/row.h"

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
	static const struct iot_column columns[] = COLUMN_LIST(
	    COLUMN(files), COLUMN(bytes), COLUMN(flows), COLUMN_AS(uses_left_out, "left_out"),
	    COLUMN(lower_bound), COLUMN(top_flows), COLUMN(top_files));
	*v = (struct workflow_view){
	    .workflow = w,
	    .table = TABLE_RECORD(columns, set_workflow, v),
	    .flows = TABLE_ROWS(flows, workflow_shown(w->flow_count, top), set_flow, v),
	    .files = TABLE_ROWS(files, workflow_shown(w->file_count, top), set_file, v)};
}
