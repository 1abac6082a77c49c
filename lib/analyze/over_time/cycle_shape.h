/* SPDX-License-Identifier: BSD-2-Clause */
/* The cycles of a periodic series: how much each has, and how alike they are. */
#ifndef LIB_ANALYZE_OVER_TIME_CYCLE_SHAPE_H
#define LIB_ANALYZE_OVER_TIME_CYCLE_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cycle_span.h"

enum { CYCLE_PHASES = 64 };

struct cycle_shape {
	size_t cycles;
	double similarity; /* mean correlation of a cycle with the mean cycle; NAN: not known */
	double duty;       /* median share of a cycle with 95 % of its energy; NAN: not known */
	/* amounts in phases of 1/64 of a cycle: mean, lower and upper quartile of all cycles */
	double mean[CYCLE_PHASES], low[CYCLE_PHASES], high[CYCLE_PHASES];
};

/* Describes the cycles of n bins. Returns false if out of memory. */
bool cycle_shape_make(struct cycle_shape *s, const uint64_t *bins, size_t n,
		      const struct cycle_span *span);

/*
 * The amounts of each cycle: mean, and standard deviation divided by the mean (NAN: the mean is 0).
 */
struct cycle_amount {
	double mean, variation;
};
bool cycle_amount_make(struct cycle_amount *a, const uint64_t *bins, size_t n,
		       const struct cycle_span *span);

#endif
