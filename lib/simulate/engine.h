/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several simulations in one pass over a trace. One thread reads events and makes references of
 * them; meanwhile others run the simulations on earlier batches, each at a pace of its own. Results
 * do not depend on the number of threads.
 */
#ifndef LIB_SIMULATE_ENGINE_H
#define LIB_SIMULATE_ENGINE_H

#include "block_reuse.h"
#include "simulation.h"

struct engine_options {
	unsigned threads; /* 1: the caller's only */
	/* bytes for the set of distinct blocks; 0: first references are not counted */
	uint64_t distinct_memory;
	uint32_t block;            /* bytes; for the bytes of first references */
	struct block_reuse *reuse; /* to compute, too; the caller's. NULL: none */
};

/*
 * Fills an empty batch, on the caller's thread. Returns 1; 0 at the end, with a batch that may have
 * references; or a negative status.
 */
typedef int engine_fill_fn(void *context, struct reference_batch *b);

struct engine;

/* The simulations remain the caller's. Returns NULL if out of memory. */
struct engine *engine_new(const struct engine_options *options, struct simulation **simulations,
			  size_t count);
void engine_free(struct engine *e); /* NULL is ignored */
/* Returns IOT_OK, or the status of fill or of a simulation. */
int engine_run(struct engine *e, engine_fill_fn *fill, void *context);

/*
 * First references to a block, which are misses in a cache of any size: their number, the records
 * that have one, and the bytes of records in these blocks. All zero if `known` is false: not
 * counted, or out of memory.
 */
struct engine_firsts {
	bool known;
	struct reference_totals count;
};

struct engine_firsts engine_firsts(const struct engine *e);
/* The same of a row. */
struct engine_firsts engine_row_firsts(const struct engine *e, size_t row);

#endif
