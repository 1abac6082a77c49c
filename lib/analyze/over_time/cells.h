/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests and bytes of each process over time, in bins of 2^-k seconds. When a limit of bins or
 * cells is reached, k decreases by one and bin b becomes bin floor(b / 2), so k and the cells
 * depend on the requests alone, not on their order.
 *
 * A long request costs about as much as a short one: it is divided among up to 16384 pieces of a
 * power of two of bins, depending on its duration alone. Pieces are halved when the bins are read.
 */
#ifndef LIB_ANALYZE_OVER_TIME_CELLS_H
#define LIB_ANALYZE_OVER_TIME_CELLS_H

#include <assert.h>

#include "lib/analyze/requests.h"

#define CELLS_NS_PER_S ((uint64_t)1000000000)

/* With k = -34, one bin has all times of 64 bits. */
enum {
	CELLS_K = 20,
	CELLS_COARSER_MAX = CELLS_K + 34,
	CELLS_BINS_MAX = 1 << 16, /* of one second or longer */
	CELLS_FINE_MAX = 1 << 14, /* of shorter ones */
	CELLS_MAX = 1 << 20,
	CELLS_DEFERRED = 1 << 16,
	CELLS_MOVED = 64,           /* at most, for one that is inserted */
	CELLS_PIECES_MAX = 1 << 14, /* of a request */
	CELLS_K_EVEN = 9            /* up to this k, bins have one width in nanoseconds */
};

/* A bin; or a piece, which is 2^level bins, aligned, and has bytes alone. */
struct cell {
	uint32_t process;
	uint8_t level;
	int64_t bin; /* the first one */
	uint64_t requests[2], bytes[2];
};

/* The cells of a process. */
struct cells_row {
	struct cell *cell;
	size_t count, capacity;
	/* cells [0, sorted) are in order of bins and levels, each once; the rest is unsorted */
	size_t sorted, pieces;   /* pieces: of the sorted cells */
	uint64_t from_ns, to_ns; /* of the bin of the last cell; 0, 0: not known, or a piece */
	struct cell *bins;       /* settled: the cells with all pieces halved; NULL: no pieces */
	size_t bin_count;
};

struct cells {
	int coarser;                 /* k is CELLS_K - coarser, so that all zeros is empty */
	int64_t first_bin, last_bin; /* undefined without cells */
	struct cells_row *rows;      /* indexed by process */
	size_t row_capacity;
	size_t sorted, pieces; /* of all rows */
	size_t bins;           /* settled: of all rows, with all pieces halved */
	/*
	 * The first requests wait until their span is known, so that k needs few steps. A state
	 * of fewer than CELLS_DEFERRED has these, as they take fewer bytes than the cells.
	 */
	struct cells_request {
		uint64_t start_ns, end_ns, length; /* end: of the last nanosecond */
		uint32_t process;
		bool write, lasts; /* lasts: its duration is not 0 */
	} * deferred;
	size_t deferred_count, deferred_capacity;
	bool started; /* the cells have all requests */
	bool many;    /* none are deferred any more */
};

static inline int cells_k(const struct cells *c)
{
	return CELLS_K - c->coarser;
}

/* The bin of a time since 1970 or time zero, and the time at which a bin starts. */
static inline int64_t cells_bin(uint64_t ns, int k)
{
	const uint64_t s = ns / CELLS_NS_PER_S, rest = ns % CELLS_NS_PER_S;
	assert(k <= CELLS_K);
	if (k < 0)
		return (int64_t)(s >> -k);
	return (int64_t)((s << k) + (rest << k) / CELLS_NS_PER_S);
}

static inline uint64_t cells_start(int64_t bin, int k)
{
	const uint64_t b = (uint64_t)bin;
	if (k < 0)
		return (b << -k) * CELLS_NS_PER_S;
	const uint64_t mask = ((uint64_t)1 << k) - 1;
	return (b >> k) * CELLS_NS_PER_S + (((b & mask) * CELLS_NS_PER_S + mask) >> k);
}

/*
 * Bins shorter than a second serve views of at most this number of bins, and take memory in states.
 */
static inline int64_t cells_bins_max(int k)
{
	return k > 0 ? CELLS_FINE_MAX : CELLS_BINS_MAX;
}

/* Bins of 2^-k seconds, from the first to the last one; undefined unless `any`. */
struct bin_span {
	int64_t first, last;
	bool any;
};

/*
 * Extends a span to an interval, both ends included. Returns by how many powers of two its bins
 * have to be widened for at most `max` of them, and at most cells_bins_max(); the span then counts
 * the wider bins.
 */
static inline int bin_span_extend(struct bin_span *s, int k, uint64_t from_ns, uint64_t to_ns,
				  int64_t max)
{
	for (int steps = 0;; steps++) {
		const int64_t first = cells_bin(from_ns, k - steps),
			      last = cells_bin(to_ns, k - steps), old_first = s->first >> steps,
			      old_last = s->last >> steps;
		const struct bin_span both = {.first =
						  s->any && old_first < first ? old_first : first,
					      .last = s->any && old_last > last ? old_last : last,
					      .any = true};
		const int64_t limit = cells_bins_max(k - steps);
		if (both.last - both.first >= (max < limit ? max : limit))
			continue;
		*s = both;
		return steps;
	}
}

/*
 * Times of requests plus epoch_ns are times of bins. These return false if out of memory.
 * cells_settle adds what is deferred, sorts all rows and halves the pieces; after it, cells_count
 * and cells_row_bins are valid until the next cells_add.
 */
bool cells_add(struct cells *c, const struct io_spans *spans, uint64_t epoch_ns);
/* Adds a request. Its times count from the same zero as the bins. */
bool cells_add_request(struct cells *c, const struct cells_request *q);
bool cells_defer(struct cells *c, const struct cells_request *q);
bool cells_settle(struct cells *c);
/* Adds a part, which is settled and whose processes have these numbers in c. */
bool cells_join(struct cells *c, const struct cells *part, const uint32_t *process);
static inline size_t cells_count(const struct cells *c)
{
	return c->bins;
}
/* The bins of a process, in order. */
static inline const struct cell *cells_row_bins(const struct cells_row *r, size_t *count)
{
	*count = r->bins != NULL ? r->bin_count : r->count;
	return r->bins != NULL ? r->bins : r->cell;
}
void cells_free(struct cells *c);

#endif
