/* SPDX-License-Identifier: BSD-2-Clause */
/* How often each operation was called, and how long the calls took: reads, writes, and %op by name. */
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
	uint64_t timed, ns; /* calls whose duration is known, and the sum of these */
};

struct operations {
	struct operation io[2]; /* reads, writes: without names, until they are sorted */
	struct operation row[OPERATIONS_MAX];
	size_t count;
	uint64_t ops;    /* %op, in all */
	uint64_t others; /* ... whose names are too long, or one too many */
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
/* Makes rows of reads and writes, too, and puts those with most time first. */
void operations_sort(struct operations *o);

#endif
