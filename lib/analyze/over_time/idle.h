/* SPDX-License-Identifier: BSD-2-Clause */
/* Idle periods: runs of bins of a view with few bytes, or without any activity. */
#ifndef LIB_ANALYZE_OVER_TIME_IDLE_H
#define LIB_ANALYZE_OVER_TIME_IDLE_H

#include "lib/analyze/values.h"

#include "series.h"
#include "view.h"

/* Returns false if out of memory. */
bool idle_values(const struct view *view, const struct series *series, struct values *v);

#endif
