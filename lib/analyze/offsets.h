/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes of each file over time and offset, in up to 128 bins of the time of the trace by 64
 * blocks of the extent of the file. As of cells, a bin has 2^-k seconds, and a block 2^n bytes, which
 * depend on the requests alone, not on their order. A request counts in the bin of its start.
 */
#ifndef LIB_ANALYZE_OFFSETS_H
#define LIB_ANALYZE_OFFSETS_H

#include "cells.h"

struct state;

enum { OFFSET_BINS = 128, OFFSET_BLOCKS = 64, OFFSET_ROWS_MAX = 8192 };

struct offsets_row {
	uint64_t bytes[OFFSET_BLOCKS][2];
};

struct offsets_file {
	uint64_t bytes;            /* in all rows */
	struct offsets_row **rows; /* bin b at b % OFFSET_BINS; NULL: none */
	unsigned shift;            /* a block has 2^shift bytes */
	bool left_out;             /* at the limit of rows, it had the fewest bytes */
};

struct offsets {
	int coarser; /* k is CELLS_K - coarser */
	bool any;
	int64_t first_bin, last_bin; /* undefined unless `any` */
	int64_t latest;              /* the bin of [from_ns, to_ns) */
	uint64_t from_ns, to_ns;
	struct offsets_file *files; /* by number */
	size_t file_capacity, rows; /* rows: of all files */
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

/* These return false if out of memory. Times plus epoch_ns are those of the bins. */
bool offsets_add(struct offsets *o, const struct io_spans *grouped, uint64_t epoch_ns);
/* Adds a part, or a trace of the same job, which is consumed. file[i]: the number in o of its file i. */
bool offsets_join(struct offsets *o, struct offsets *part, const uint32_t *file);
/* Frees the rows of a file. */
void offsets_drop(struct offsets *o, size_t file);
void offsets_state(struct state *s, struct offsets *o);
/* The cells of a file with rows. */
bool offsets_map(const struct offsets *o, size_t file, struct offsets_map *map);
void offsets_free(struct offsets *o);

#endif
