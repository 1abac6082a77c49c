/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts the first references to the distinct blocks of a trace. */
#ifndef LIB_SIMULATE_DISTINCT_H
#define LIB_SIMULATE_DISTINCT_H

#include "engine.h"

struct distinct;

/* memory: bytes of the set; block: bytes of a block. Returns NULL if out of memory. */
struct distinct *distinct_new(uint64_t memory, uint32_t block);
void distinct_free(struct distinct *d); /* NULL is ignored */
/*
 * result: of each reference in a cache, as simulation_results(), or NULL. A hit proves that the
 * block was referenced before, so that only misses are looked up.
 */
void distinct_add(struct distinct *d, const struct reference_batch *b, const uint8_t *result);

struct engine_firsts distinct_firsts(const struct distinct *d);
struct engine_firsts distinct_row_firsts(const struct distinct *d, size_t row);

#endif
