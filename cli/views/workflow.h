/* SPDX-License-Identifier: BSD-2-Clause */
/* The files that one of several jobs wrote and another one read, as tables. */
#ifndef CLI_VIEWS_WORKFLOW_H
#define CLI_VIEWS_WORKFLOW_H

#include <iotrace/result.h>

#include "cli/analyze/workflow.h"

struct workflow_view {
	const struct analyze_workflow *workflow;
	struct iot_table table, flows, files;
	size_t flat_rows;
};

/* Makes the tables, with up to `top` flows and files, those with most bytes first. */
void workflow_view(struct workflow_view *v, const struct analyze_workflow *w, uint64_t top);
/* Fills one of the flat_rows, each with a value: section, name, key, unit, value and note. */
void workflow_flat_row(struct iot_row *to, struct workflow_view *v, size_t row);

#endif
