/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts and times of operations by name; a read and a write are operations, too. */
#ifndef IOTRACE_LIB_STATS_OPERATIONS_H
#define IOTRACE_LIB_STATS_OPERATIONS_H

#include <iotrace/filter.h>

#include "lib/format/operation.h"

enum { OPERATIONS_MAX = 66 };

struct operations {
	struct iot_stats_operation io[2]; /* reads, writes: without names, until they are sorted */
	struct iot_stats_operation row[OPERATIONS_MAX];
	size_t count;
	uint64_t ops;    /* all %op */
	uint64_t others; /* ... with names that are too long, or beyond the table */
};

void operations_record(struct operations *o, const struct iot_record *rec);

void operations_op(struct operations *o, const struct op *op);

void operations_join(struct operations *o, const struct operations *more);

/* Adds rows for reads and writes, and sorts all by time. Afterwards nothing can be counted. */
void operations_sort(struct operations *o);

#endif
