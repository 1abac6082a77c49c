/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes of each file over time and offset, in up to 128 bins of the time of the trace by 64
 * blocks of the extent of the file. As of cells, a bin has 2^-k seconds, and a block 2^n bytes,
 * which depend on the requests alone, not on their order. A request counts in the bin of its start.
 *
 * If the files have too many requests, the map shows a sample of the files. A file has a level,
 * which depends on its identity alone; files below `level` are left out, and `level` rises when the
 * sample is full. Up to one request for each bin counts, so the limit holds for rows as well, but
 * in contrast to their number, which falls with wider bins, neither the order of the requests nor
 * the cut of a trace matters to the level.
 */
#ifndef LIB_ANALYZE_OFFSETS_H
#define LIB_ANALYZE_OFFSETS_H

#include "lib/analyze/over_time/cells.h"

struct state;

enum { OFFSET_BINS = 128, OFFSET_BLOCKS = 64, OFFSET_REQUESTS_MAX = 32768 };

struct offsets_row {
	uint64_t bytes[OFFSET_BLOCKS][2];
};

struct offsets_file {
	uint64_t bytes;            /* in all rows */
	struct offsets_row **rows; /* bin b at b % OFFSET_BINS; NULL: none */
	unsigned shift;            /* a block has 2^shift bytes */
	uint32_t requests;         /* up to OFFSET_BINS; 0: no rows */
	uint8_t level;             /* of the sample; undefined without rows */
	bool left_out;             /* it has requests, but is not in the sample */
};

struct offsets {
	int coarser; /* k is CELLS_K - coarser */
	bool any;
	int64_t first_bin, last_bin; /* undefined unless `any` */
	int64_t latest;              /* the bin of [from_ns, to_ns) */
	uint64_t from_ns, to_ns;
	struct offsets_file *files; /* by number */
	size_t file_capacity;
	uint32_t level;    /* lowest level in the sample */
	uint64_t requests; /* of all files */
};

/* The bytes of a file in a bin and a block; numbers count from 0. */
struct offsets_map {
	double width_s;    /* of a bin */
	uint64_t first_ns; /* of the first bin */
	size_t bins;
	uint64_t block_bytes;
	struct iot_analyze_offset_cell *cells;
	size_t count, capacity;
};

void offsets_state(struct state *s, void *of, const struct requests *r);
/* The cells of a file with rows. Returns false if out of memory. */
bool offsets_map(const struct offsets *o, size_t file, struct offsets_map *map);

#endif
