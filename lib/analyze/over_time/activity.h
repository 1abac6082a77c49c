/* SPDX-License-Identifier: BSD-2-Clause */
/* In which bins of a view, and by how many processes, more than some threshold is transferred. */
#ifndef LIB_ANALYZE_OVER_TIME_ACTIVITY_H
#define LIB_ANALYZE_OVER_TIME_ACTIVITY_H

#include "lib/analyze/values.h"

#include "view.h"

/* Returns false if out of memory. */
bool activity_values(const struct view *view, uint64_t processes, struct values *v);

#endif
