/* SPDX-License-Identifier: BSD-2-Clause */
#include "timing_rows.h"

#include <stdlib.h>

static int by_wait(const void *a, const void *b)
{
	const struct timing_row_ref *p = a, *q = b;
	if (p->row->wait_ns != q->row->wait_ns)
		return p->row->wait_ns < q->row->wait_ns ? 1 : -1;
	return (p->row > q->row) - (p->row < q->row);
}

struct timing_row_ref *timing_rows(const struct timing_report *r,
				   const struct timing_result *result, size_t *count)
{
	struct timing_row_ref *rows = calloc(result->row_count + 1, sizeof *rows);
	size_t input = 0;
	*count = result->row_count < r->command->top ? result->row_count : r->command->top;
	for (size_t i = 0; rows != NULL && i < result->row_count; i++) {
		while (input + 1 < r->input_count && i >= r->inputs[input + 1].row_base)
			input++;
		rows[i] =
		    (struct timing_row_ref){&result->rows[i], input, i - r->inputs[input].row_base};
	}
	if (rows != NULL)
		qsort(rows, result->row_count, sizeof *rows, by_wait);
	return rows;
}

const char *timing_row_name(const struct timing_report *r, const struct timing_row_ref *row,
			    char *text)
{
	struct timing_input *input = &r->inputs[row->input];
	return row_name(text, input->in.reader, input->world.breakdown.names[row->number],
			r->command->by, input->layer == LAYER_PHYSICAL);
}
