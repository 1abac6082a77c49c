/* SPDX-License-Identifier: BSD-2-Clause */
/* The values over time, from cells in bins of one second or coarser, and the time in I/O. */
#ifndef LIB_ANALYZE_TIME_H
#define LIB_ANALYZE_TIME_H

#include "busy.h"
#include "values.h"
#include "view.h"

/* Returns false if out of memory. */
bool time_values(const struct view_source *from, const struct busy *b, struct values *v);

#endif
