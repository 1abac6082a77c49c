/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LIB_ANALYZE_OVER_TIME_BINS_STATE_H
#define LIB_ANALYZE_OVER_TIME_BINS_STATE_H

#include "lib/analyze/state.h"

#include "series.h"

/*
 * Saving: the cells are settled. Loading: the caller settles them. rows: whose numbers the rows of
 * the cells have.
 */
void cells_state(struct state *s, struct cells *c, const struct state_numbers *rows);
/* c: of the same requests, before the series; or NULL */
void series_state(struct state *s, struct series *series, const struct cells *c);
/* After both: the state is refused unless they cover the same time. */
void bins_check_state(struct state *s, const struct cells *c, const struct series *series);

/* Columns of a table: how much coarser bins are; the bins from `first` to `last`. */
int bins_coarser_state(struct state *s, int coarser);
void bins_span_state(struct state *s, int k, uint64_t max_bins, int64_t *first, int64_t *last);

#endif
