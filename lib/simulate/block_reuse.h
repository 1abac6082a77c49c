/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reuse of each row of a breakdown, and of the whole trace: how many blocks it refers to, how
 * many of these more than once, and after how many other blocks and how much time. A reference is a
 * reuse if any row referred to the block before, and no operation has removed it from all caches
 * since.
 */
#ifndef LIB_SIMULATE_BLOCK_REUSE_H
#define LIB_SIMULATE_BLOCK_REUSE_H

#include "references.h"

struct block_reuse;

#define REUSE_TOTAL (SIZE_MAX - 1) /* the row of the whole trace */

struct block_reuse_row {
	uint64_t blocks, repeated; /* that it refers to; more than once */
	uint64_t reuses;
	/* Medians of the reuses, rounded up to the end of a bin of struct curve. */
	uint64_t distance; /* stack distance, in blocks; 0 if there are no reuses */
	uint64_t timed;    /* reuses of which the time is known */
	uint64_t time_ns;  /* from the start of the preceding record; unknown if timed is 0 */
};

/* memory: bytes. Returns NULL if out of memory. */
struct block_reuse *block_reuse_new(uint64_t memory);
void block_reuse_free(struct block_reuse *r); /* NULL is ignored */
/* Adds a batch, which has times. If that needs more memory, all rows are unknown. */
void block_reuse_add(struct block_reuse *r, const struct reference_batch *b);
/* After all references. */
void block_reuse_finish(struct block_reuse *r);
/* Returns false if the row is unknown. */
bool block_reuse_row(const struct block_reuse *r, size_t row, struct block_reuse_row *out);

#endif
