/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LIB_ANALYZE_TIME_STATE_H
#define LIB_ANALYZE_TIME_STATE_H

#include "series.h"
#include "state.h"

/* The cells are settled. */
void bins_state(struct state *s, struct cells *c, struct series *series);

#endif
