/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of the requests of a span. */
#ifndef LIB_ANALYZE_CONTAINERS_SPAN_SUMS_H
#define LIB_ANALYZE_CONTAINERS_SPAN_SUMS_H

#include "lib/analyze/requests.h"

/* Sets the sums of a span from its requests. */
void span_sum(struct io_span *s);
/* Only the counts, the durations, and whether the requests are disjoint. */
void span_sum_times(struct io_span *s);

#endif
