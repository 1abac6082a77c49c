/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bins at an interval: the sums of the cells whose bins start in it. The interval is a power of two
 * of seconds, or any other number of nanoseconds. The first one begins with the run, at the start
 * of the cell in which the run begins, so that the values do not depend on the time of day.
 */
#ifndef LIB_ANALYZE_OVER_TIME_VIEW_H
#define LIB_ANALYZE_OVER_TIME_VIEW_H

#include "lib/analyze/containers/saturate.h"
#include "lib/analyze/hosts/coverage.h"

#include "series.h"

enum { READS, WRITES, EITHER, DIRECTIONS };

/* Fewer intervals say nothing about how a run varies over time. */
enum { VIEW_BINS_MIN = 20 };

/* What the values refer to. */
struct time_span {
	uint64_t begin_ns, end_ns; /* of the trace, in the times of the bins */
	uint64_t runtime_ns;       /* 0: unknown */
	uint64_t processes;
	uint64_t interval_ns; /* wanted; 0: a second, or less for a short run */
};

/* The bins that a view adds. */
struct view_source {
	const struct cells *cells;
	const struct series *series;
	struct time_span span;
	/* counts of requests in samples, stored as bytes; NULL: the cells have the requests */
	const struct cells *calls;
	/* the samples that decide which bins are observed; NULL: all bins are */
	const struct coverage *coverage;
};

struct view {
	int k; /* of the bins that it adds */
	int j; /* the interval is 2^-j s, unless interval_ns is not 0 */
	uint64_t interval_ns;
	uint64_t width_num, width_den; /* the interval in nanoseconds is their quotient */
	double width_s;
	int64_t origin;        /* the bin of width 2^-k s in which interval 0 begins */
	int64_t end_bin, end;  /* the last bin of the run, and the interval that it belongs to */
	int64_t first;         /* interval */
	size_t bins, observed; /* observed: all others are left out of shares */
	bool *left_out;        /* by bin; NULL: all are observed */
	uint64_t (*bytes)[2], (*requests)[2];
	struct cell *cells; /* by process, then by bin of the view */
	size_t count;
};

/* Maps a bin of width 2^-k s to one of the view, where k is not less than the k of the view. */
int64_t view_bin(const struct view *v, int64_t bin, int k);
/* A view of all processes with up to `bins` bins. Returns false if out of memory. */
bool view_make(struct view *v, const struct view_source *from, size_t bins);
/* The view that time_span wants, with the cells of each process. */
bool view_make_main(struct view *v, const struct view_source *from);
/* Adds the cells of each process to a view. */
bool view_add_cells(struct view *v, const struct view_source *from);
/* The time at which a bin of the view starts. */
uint64_t view_start(const struct view *v, size_t bin);
void view_free(struct view *v);

static inline bool view_observes(const struct view *v, size_t bin)
{
	return v->left_out == NULL || !v->left_out[bin];
}

/* Bytes or requests of a bin in a direction. */
static inline uint64_t view_sum(const uint64_t of[2], unsigned direction)
{
	return direction == EITHER ? saturate_add(of[0], of[1]) : of[direction];
}

static inline uint64_t view_bytes(const struct view *v, size_t bin)
{
	return saturate_add(v->bytes[bin][0], v->bytes[bin][1]);
}

/* What dominates requests, with nine in ten: 0 reads, 1 writes, 2 neither, 3 there are none. */
static inline unsigned view_dominating(const uint64_t requests[2])
{
	const uint64_t r = requests[0], w = requests[1];
	return r + w == 0 ? 3 : 9 * w <= r ? 0 : 9 * r <= w ? 1 : 2;
}

#endif
