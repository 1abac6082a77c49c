/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Outstanding requests over time: for how long exactly q requests are in progress, and the gaps in
 * which none is.
 */
#ifndef LIB_ANALYZE_OVER_TIME_CONCURRENCY_H
#define LIB_ANALYZE_OVER_TIME_CONCURRENCY_H

#include "lib/analyze/containers/histogram.h"
#include "lib/analyze/requests.h"
#include "lib/analyze/values.h"

struct state;

/* A request is outstanding until it ends, or OUTSTANDING_MAX later ones have begun. */
enum { CONCURRENCY_LEVELS = 64, OUTSTANDING_MAX = 1 << 16 };

/*
 * The first requests of a part, with which those outstanding at the end of an earlier part may
 * overlap. The first OUTSTANDING_MAX requests are only kept; later ones are counted.
 */
struct concurrency_prefix {
	struct concurrency_interval {
		int64_t start_ns, end_ns;
	} * interval;
	size_t count, capacity;
};

struct concurrency {
	uint64_t ns[CONCURRENCY_LEVELS + 1]; /* by outstanding requests; the last: that or more */
	uint64_t in_flight_ns;               /* sum of the durations */
	uint64_t max;                        /* most outstanding requests */
	uint64_t shortened;                  /* requests that OUTSTANDING_MAX later ones outlast */
	bool part;                           /* keeps a prefix */
	bool inexact;  /* traces were added, or starts were out of order for OUTSTANDING_MAX */
	uint64_t late; /* requests that began before now_ns, since it is the latest start */
	struct concurrency_prefix prefix;
	int64_t now_ns; /* the latest start, up to which `ns` counts */
	int64_t *ends;  /* of the outstanding requests, in order */
	size_t count, capacity;
	int64_t *recent; /* the ends of the last OUTSTANDING_MAX requests, a ring; NULL: none */
	size_t next;     /* ... in which this is the oldest one */
	struct {
		uint64_t busy_ns;
		int64_t begin_ns, end_ns; /* only if `started` */
		bool started;
		bool apart; /* of a part: began after the prefix had ended */
		struct histogram gaps;
	} any; /* the union of all requests */
};

/*
 * The same requests twice, in the order of the trace and grouped. Returns false if out of memory.
 */
bool concurrency_add(struct concurrency *c, const struct io_spans *in_order,
		     const struct io_spans *grouped);
/* Counts the requests that are still outstanding up to their ends; nothing may be added then. */
bool concurrency_end(struct concurrency *c);
/* Adds a part. */
bool concurrency_join(struct concurrency *c, const struct concurrency *part);
/*
 * Adds another trace: what was outstanding together is unknown. Before, of both: concurrency_forget
 * frees all but the sums.
 */
void concurrency_add_trace(struct concurrency *c, const struct concurrency *more);
void concurrency_forget(struct concurrency *c);
void concurrency_state(struct state *s, struct concurrency *c);
/* span_ns: of the trace; runtime_ns: of the job; untimed: no request has a known interval. */
void concurrency_values(const struct concurrency *c, uint64_t span_ns, uint64_t runtime_ns,
			bool untimed, struct values *v);
void concurrency_free(struct concurrency *c);

#endif
