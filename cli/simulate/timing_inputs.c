/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/ui/printable.h"
#include "timing.h"

enum { FIELD = 32 };

static void print_input(struct output *out, const struct timing_input *input)
{
	const struct world_counts *n = &input->world.counts;
	char path[256], read[FIELD], written[FIELD];
	printable(path, sizeof path, input->path, strlen(input->path));
	output_printf(out, "%s: processes %zu, files %zu, records %ju, read %s, written %s\n", path,
		      input->world.process_ids.count, input->world.object_count,
		      (uintmax_t)n->records, printable_bytes(read, FIELD, n->read_bytes),
		      printable_bytes(written, FIELD, n->written_bytes));
	if (n->unknown > 0)
		output_printf(out, "%s: records with an unknown offset %ju (%s)\n", path,
			      (uintmax_t)n->unknown,
			      printable_bytes(read, FIELD, n->unknown_bytes));
	if (n->other_layer + n->read_ahead > 0)
		output_printf(out,
			      "%s: left out: records of the other layer %ju, of read-ahead %ju\n",
			      path, (uintmax_t)n->other_layer, (uintmax_t)n->read_ahead);
	if (n->from_wall > 0)
		output_printf(out,
			      "%s: computations from wall time %ju, which includes sleeping and "
			      "waiting for others\n",
			      path, (uintmax_t)n->from_wall);
}

void timing_print_inputs(struct output *out, const struct timing_report *r)
{
	for (size_t i = 0; i < r->input_count; i++)
		print_input(out, &r->inputs[i]);
}
