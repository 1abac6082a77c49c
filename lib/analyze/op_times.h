/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The time in which at least one process is in an operation of a kind: the length of the union over
 * all processes.
 */
#ifndef LIB_ANALYZE_OP_TIMES_H
#define LIB_ANALYZE_OP_TIMES_H

#include "lib/analyze/over_time/busy.h"
#include "lib/format/operation_kind.h"

/* All zeros: empty. The rows of `busy` are kinds. */
struct op_times {
	struct busy busy;
};

void op_times_init(struct op_times *t, bool part);
/* These return false if out of memory. */
bool op_times_add(struct op_times *t, enum operation_kind kind, int64_t start_ns,
		  uint64_t duration_ns);
bool op_times_join(struct op_times *t, struct op_times *part);
uint64_t op_times_ns(const struct op_times *t, enum operation_kind kind);

#endif
