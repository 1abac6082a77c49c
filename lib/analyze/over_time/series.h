/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Time in flight and operations of the whole trace over time, in up to 65,536 bins of 2^-k seconds.
 * As of cells, k depends on the data alone, and bin b becomes bin floor(b / 2).
 */
#ifndef LIB_ANALYZE_OVER_TIME_SERIES_H
#define LIB_ANALYZE_OVER_TIME_SERIES_H

#include "cells.h"

struct series_bin {
	uint64_t in_flight_ns, operations;
	/*
	 * Until series_settle: requests of which this is the first bin that they fill, minus those
	 * of which it is the first bin afterwards that they do not fill. So a long request costs
	 * the same as a short one.
	 */
	int64_t filling;
	bool requests; /* one starts in it */
};

struct series {
	int coarser;              /* k is CELLS_K - coarser */
	struct series_bin *bins;  /* of CELLS_BINS_MAX; bin b at b % CELLS_BINS_MAX */
	struct series_bin *spare; /* as many, all zero, for coarser ones; or NULL */
	bool any;
	int64_t first_bin, last_bin; /* undefined unless `any` */
	uint64_t from_ns, to_ns;     /* of the bin in which the latest request starts */
	uint64_t next_ns;            /* the end of the bin after it if that may be added to */
	int64_t latest_bin;
	struct series_bin *latest, *following;
};

static inline int series_k(const struct series *s)
{
	return CELLS_K - s->coarser;
}

static inline const struct series_bin *series_at(const struct series *s, int64_t bin)
{
	return &s->bins[(uint64_t)bin % CELLS_BINS_MAX];
}

/*
 * These return false if out of memory. Times count from the same zero as the bins; with epoch_ns,
 * times plus epoch_ns do.
 */
bool series_add(struct series *s, const struct io_spans *spans, uint64_t epoch_ns);
bool series_add_request(struct series *s, uint64_t start_ns, uint64_t end_ns);
bool series_add_op(struct series *s, uint64_t ns);
/* Before bins are read. */
void series_settle(struct series *s);
/* Adds a part, which is settled. */
bool series_join(struct series *s, const struct series *part);
void series_free(struct series *s);

#endif
