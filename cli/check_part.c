/* SPDX-License-Identifier: BSD-2-Clause */
#include "check_part.h"

#include <stdlib.h>

static enum exit_status print(const struct trace_in *in, const struct plan_part *part)
{
	struct output out;
	const enum exit_status status = output_open(&out, "-", 0);
	if (status != EXIT_OK)
		return status;
	output_printf(&out, "%s: part %ju of %ju: valid (records: %ju, comments: %ju)\n", in->path,
		      (uintmax_t)part->k, (uintmax_t)part->n,
		      (uintmax_t)iot_reader_fact(in->reader, IOT_FACT_RECORDS),
		      (uintmax_t)iot_reader_fact(in->reader, IOT_FACT_COMMENTS));
	return output_close(&out);
}

enum exit_status check_part(struct plan_options *plan, const char *path, bool quiet,
			    const struct command_spec *command)
{
	struct trace_in_options read = TRACE_IN_OPTIONS_INIT;
	struct iot_event *ev = calloc(TRACE_IN_BATCH, sizeof *ev);
	struct trace_in in = {.opened = false};
	read.quiet = quiet;
	enum exit_status status =
	    ev != NULL ? plan_choose(plan, &path, &read, command) : message_no_memory();
	if (status == EXIT_OK)
		status = trace_in_open(&in, path, &read, command);
	if (status == EXIT_OK) {
		while (trace_in_events(&in, ev, TRACE_IN_BATCH) > 0)
			;
		status = trace_in_exit(&in, true);
	}
	if (status == EXIT_OK)
		status = print(&in, &plan->part);
	trace_in_close(&in);
	plan_part_free(&plan->part);
	free(ev);
	return status;
}
