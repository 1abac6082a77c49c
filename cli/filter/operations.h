/* SPDX-License-Identifier: BSD-2-Clause */
/* The number of calls of each operation and their durations: reads, writes, and %op by name. */
#ifndef CLI_FILTER_OPERATIONS_H
#define CLI_FILTER_OPERATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <iotrace/iotrace.h>

enum { OPERATIONS_MAX = 66, OPERATION_NAME = 24 };

struct operation {
	char name[OPERATION_NAME];
	uint64_t calls, failed;
	uint64_t timed, ns; /* calls whose duration is known, and the sum of these durations */
};

struct operations {
	struct operation io[2]; /* reads, writes: without names, until they are sorted */
	struct operation row[OPERATIONS_MAX];
	size_t count;
	uint64_t ops;    /* all %op */
	uint64_t others; /* ... with names that are too long, or beyond the table */
};

static inline void operations_record(struct operations *o, const struct iot_record *rec)
{
	struct operation *io = &o->io[(rec->type & IOT_WRITE) != 0];
	io->calls++;
	if ((rec->flags & IOT_DURATION_UNKNOWN) != 0)
		return;
	io->timed++;
	io->ns += rec->duration_ns;
}

void operations_op(struct operations *o, const struct iot_event *ev);
void operations_join(struct operations *o, const struct operations *more);
/* Adds rows for reads and writes, and sorts all rows by time, largest first. */
void operations_sort(struct operations *o);

#endif
