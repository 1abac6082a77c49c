/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LIB_ANALYZE_TIME_STATE_H
#define LIB_ANALYZE_TIME_STATE_H

#include "series.h"
#include "state.h"

/* The cells are settled. */
void bins_state(struct state *s, struct cells *c, struct series *series);

/* Columns of a table: how much coarser bins are; the bins from `first` to `last`. */
int bins_coarser_state(struct state *s, int coarser);
void bins_span_state(struct state *s, int k, uint64_t max_bins, int64_t *first, int64_t *last);

#endif
