/* SPDX-License-Identifier: BSD-2-Clause */
/* The sums of a row: of a process, a file, or a file in a process. */
#ifndef LIB_ANALYZE_ROW_SUMS_H
#define LIB_ANALYZE_ROW_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include <iotrace/iotrace.h>

#include "lib/format/operation.h"

enum row_kind { ROW_READS, ROW_WRITES, ROW_OPERATIONS, ROW_KINDS };

struct row_sums {
	uint64_t count[ROW_KINDS], untimed[ROW_KINDS]; /* untimed: of unknown start or duration */
	uint64_t ns[ROW_KINDS];                        /* the sum of all known durations */
	uint64_t bytes[2];                             /* reads, writes */
	uint64_t opens, closes;                        /* successful operations */
	int64_t first_ns, last_ns; /* earliest start, latest end; only if `timed` */
	bool timed;
};

/* What counts of an operation. */
struct row_operation {
	bool opens, closes; /* successful ones */
	bool timed, has_end;
	uint64_t calls; /* that it stands for */
	enum operation_kind kind;
	bool synchronous; /* of the open file */
	bool cuts;        /* truncates the file to nothing */
	uint64_t existed; /* bytes that an open found in the file */
	int64_t start_ns; /* if `timed` */
	uint64_t duration_ns;
};

struct row_operation row_operation_of(const struct op *op, bool synchronous);
struct row_sums row_sums_of_operation(const struct row_operation *op);
/* Adds the sums of one row to another row. */
void row_sums_add(struct row_sums *to, const struct row_sums *from);
/* All requests or bytes, up to 2^64 - 1. */
uint64_t row_requests(const struct row_sums *s);
uint64_t row_calls(const struct row_sums *s); /* with operations */
uint64_t row_bytes(const struct row_sums *s);
/* The sum of the known durations of reads and writes, and with `operations` of these, too. */
uint64_t row_duration(const struct row_sums *s, bool operations);

#endif
