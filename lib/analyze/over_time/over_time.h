/* SPDX-License-Identifier: BSD-2-Clause */
/* The bins of a view as the library hands them out. */
#ifndef LIB_ANALYZE_OVER_TIME_OVER_TIME_H
#define LIB_ANALYZE_OVER_TIME_OVER_TIME_H

#include "view.h"

struct over_time {
	struct iot_analyze_bin *bins;
	struct iot_analyze_cell *cells;
	double *burst_s;
};

/* max 0: of the main view. Stores what `to` shows in t. Returns false if out of memory. */
bool over_time_make(struct over_time *t, const struct view_source *from, size_t max,
		    struct iot_analyze_timeline *to);
/* Returns to - from in seconds, negative if a bin begins before the trace. */
double over_time_seconds(uint64_t from, uint64_t to);
void over_time_free(struct over_time *t);

#endif
