/* SPDX-License-Identifier: BSD-2-Clause */
/* The report of `iotrace reorder` on one trace. */
#ifndef CLI_VIEWS_REORDER_H
#define CLI_VIEWS_REORDER_H

#include <iotrace/filter.h>

#include "cli/ui/json.h"

struct sorted_trace {
	const char *input;
	bool kept; /* the output exists */
	uint64_t records, written_bytes;
	const struct iot_sort_report *sort;
};

void sorted_trace_print(struct json *j, const struct sorted_trace *t);

#endif
