/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LIB_ANALYZE_OVER_TIME_BURST_RUNS_H
#define LIB_ANALYZE_OVER_TIME_BURST_RUNS_H

#include <stddef.h>
#include <stdint.h>

/* Bins [begin, end). */
struct burst {
	size_t begin, end;
};

/*
 * Finds the bursts of n bins: runs of bins with more than a tenth of the lower median of the bins
 * with a value, joined where the gap is less than a fifth of the median gap. Returns their number.
 * scratch and runs have n elements.
 */
size_t burst_runs_find(const uint64_t *bins, size_t n, uint64_t *scratch, struct burst *runs);
/* The lower median of the positive values of n bins; 0 if there are none. */
uint64_t burst_runs_median(const uint64_t *bins, size_t n, uint64_t *scratch);
/* Returns the lower median of n values, which it sorts; 0 without values. */
uint64_t burst_runs_middle(uint64_t *values, size_t n);
/*
 * Leaves out small bursts at both ends, such as bursts at the start of a program: with less than
 * half of the amount of the burst that contains the middle of the sum, in order of amount. Moves
 * the others to runs[0] and returns their number. scratch has `count` elements.
 */
size_t burst_runs_trim(const uint64_t *bins, struct burst *runs, size_t count, uint64_t *scratch);

#endif
