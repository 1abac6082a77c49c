/* SPDX-License-Identifier: BSD-2-Clause */
/* The values over time, from cells in bins of one second or coarser, and the time in I/O. */
#ifndef LIB_ANALYZE_TIME_H
#define LIB_ANALYZE_TIME_H

#include "busy.h"
#include "cells.h"
#include "values.h"

/* What the values refer to. */
struct time_span {
	uint64_t begin_ns, end_ns; /* of the trace, in the times of the bins */
	uint64_t runtime_ns;       /* 0: unknown */
	uint64_t processes;
};

/* Returns false if out of memory. */
bool time_values(const struct cells *c, const struct busy *b, const struct time_span *span,
		 struct values *v);

#endif
