/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the cycles of a periodic series begin and end. */
#ifndef LIB_ANALYZE_OVER_TIME_CYCLE_SPAN_H
#define LIB_ANALYZE_OVER_TIME_CYCLE_SPAN_H

#include <stddef.h>
#include <stdint.h>

#include "burst_runs.h"

/* Cycle c begins at bin `origin` + c * period; the first and the last may exceed the bins. */
struct cycle_span {
	int64_t origin;
	size_t cycles;
	double period; /* in bins */
};

/* Returns the cycles that begin at the first of n bins; the last one may lack 1/64. */
struct cycle_span cycle_span_of_all(size_t n, double period);
/*
 * Returns the cycles from the first of `count` bursts to the last one, with the burst in the middle
 * of its cycle. count > 0; scratch: memory for `count` numbers.
 */
struct cycle_span cycle_span_of_bursts(const struct burst *bursts, size_t count, double period,
				       uint64_t *scratch);

#endif
