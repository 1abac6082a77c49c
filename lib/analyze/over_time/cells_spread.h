/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Amounts of an interval, read and written, in bins. Samples of the same time come one after
 * another, so that most of them add to bins at the end of a row: no search, one pass for both
 * directions, and the division is made once for several cells.
 */
#ifndef LIB_ANALYZE_OVER_TIME_CELLS_SPREAD_H
#define LIB_ANALYZE_OVER_TIME_CELLS_SPREAD_H

#include "cells.h"

enum { CELLS_SHARES_MAX = 256 };

struct cells_spread {
	uint64_t from_ns, to_ns; /* to: excluded */
	uint64_t amount[2];      /* read, written */
	bool divided;            /* the members below are set */
	int k;
	int64_t first;
	size_t bins;
	uint64_t share[CELLS_SHARES_MAX][2]; /* of each bin, beginning with the first */
};

static inline void cells_spread_begin(struct cells_spread *s, uint64_t from_ns, uint64_t to_ns,
				      const uint64_t amount[2])
{
	s->from_ns = from_ns;
	s->to_ns = to_ns;
	s->amount[0] = amount[0];
	s->amount[1] = amount[1];
	s->divided = false;
}

/* Adds each amount that is not 0, in the form of a request. Returns false if out of memory. */
bool cells_spread(struct cells *c, uint32_t process, struct cells_spread *s);

#endif
