/* SPDX-License-Identifier: BSD-2-Clause */
/* Bursts: runs of bins with many bytes, at the finest interval with up to 16,384 bins. */
#ifndef LIB_ANALYZE_OVER_TIME_BURSTS_H
#define LIB_ANALYZE_OVER_TIME_BURSTS_H

#include "lib/analyze/values.h"

#include "view.h"

enum { BURST_BINS_MAX = 1 << 14 };

/* Returns false if out of memory. */
bool burst_values(const struct view_source *from, struct values *v);
/*
 * Stores the start of each burst, in an array that the caller frees. Returns false if out of
 * memory.
 */
bool burst_starts(const struct view_source *from, uint64_t **start_ns, size_t *count);

#endif
