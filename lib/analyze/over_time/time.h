/* SPDX-License-Identifier: BSD-2-Clause */
/* The values over time, from cells in bins of one second or coarser. */
#ifndef LIB_ANALYZE_OVER_TIME_TIME_H
#define LIB_ANALYZE_OVER_TIME_TIME_H

#include "lib/analyze/values.h"

#include "view.h"

/* Values of rates and of idle periods in the current section. Returns false if out of memory. */
bool time_rates(const struct view_source *from, struct values *v);
#define TIME_NO_OPERATIONS "the trace has no operations"
/* shows_operations: the trace has some. Returns false if out of memory. */
bool time_values(const struct view_source *from, bool shows_operations, struct values *v);

#endif
