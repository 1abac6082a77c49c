/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests and bytes of each process over time, in bins of 2^-k seconds. k decreases while there are
 * too many bins or cells; bin b becomes bin floor(b / 2), so k and the cells depend on the requests
 * alone, not on their order.
 */
#ifndef LIB_ANALYZE_CELLS_H
#define LIB_ANALYZE_CELLS_H

#include "requests.h"

enum { CELLS_K = 20, CELLS_BINS_MAX = 1 << 16, CELLS_MAX = 1 << 20 };

struct cell {
	uint32_t process;
	int64_t bin;
	uint64_t requests[2], bytes[2];
};

struct cells {
	int coarser; /* k is CELLS_K - coarser, so that all zeros is empty */
	struct idmap map;
	struct cell *cell;
	size_t capacity;
	int64_t first_bin, last_bin; /* only if there are cells */
	int64_t base;                /* bins in keys of the map count from here */
	/* of each process the cell of its last request in one bin, which is [from, to) */
	struct cells_latest {
		uint64_t from_ns, to_ns;
		size_t cell;
	} * latest;
	size_t latest_capacity;
};

static inline int cells_k(const struct cells *c)
{
	return CELLS_K - c->coarser;
}

/* The bin of a time since 1970 or time zero, and the time at which a bin starts. */
int64_t cells_bin(uint64_t ns, int k);
uint64_t cells_start(int64_t bin, int k);

/* Times of requests plus epoch_ns are those of the bins. Returns false if out of memory. */
bool cells_add(struct cells *c, const struct io_request *list, size_t n, uint64_t epoch_ns);
void cells_free(struct cells *c);

#endif
