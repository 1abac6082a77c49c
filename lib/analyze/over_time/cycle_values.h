/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether the I/O over time is periodic: bytes, reads, writes, operations and dominating types. */
#ifndef LIB_ANALYZE_OVER_TIME_CYCLE_VALUES_H
#define LIB_ANALYZE_OVER_TIME_CYCLE_VALUES_H

#include "lib/analyze/values.h"

#include "view.h"

/* Computes them on up to this number of threads. Returns false if out of memory. */
bool cycle_values(const struct view_source *from, uint64_t threads, struct values *v);

#endif
