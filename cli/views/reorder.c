/* SPDX-License-Identifier: BSD-2-Clause */
#include "reorder.h"

#include "cli/print/json.h"
#include "lib/result/columns.h"
#include "lib/result/row.h"

static void set_trace(struct iot_row *to, void *source)
{
	const struct sorted_trace *t = source;
	row_word(to, &metrics.input, t->input);
	row_number(to, &metrics.kept, t->kept);
	row_number(to, &metrics.records, t->records);
	row_number(to, &metrics.late, t->sort->late);
	row_number(to, &metrics.late_by_ns, t->sort->late_by_ns);
	row_number(to, &metrics.sorted_runs, t->sort->runs);
	row_number(to, &metrics.spilled_bytes, t->sort->spilled);
	row_number(to, &metrics.output_bytes, t->written_bytes);
}

void sorted_trace_print(struct json *j, const struct sorted_trace *t)
{
	static const struct iot_column columns[] = COLUMN_LIST(
	    COLUMN(input), COLUMN(kept), COLUMN(records), COLUMN(late), COLUMN(late_by_ns),
	    COLUMN(sorted_runs), COLUMN(spilled_bytes), COLUMN(output_bytes));
	const struct iot_table table = TABLE_RECORD(columns, set_trace, (void *)t);
	print_json(j, NULL, &table);
}
