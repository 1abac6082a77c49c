/* SPDX-License-Identifier: BSD-2-Clause */
/* References with prefetching, which decides after each of them, or after each record. */
#ifndef LIB_SIMULATE_READ_AHEAD_H
#define LIB_SIMULATE_READ_AHEAD_H

#include "simulation.h"

struct read_ahead;

/* Returns NULL if out of memory. */
struct read_ahead *read_ahead_new(const struct simulation_options *options);
void read_ahead_free(struct read_ahead *r); /* NULL is ignored */
/* As cache_refer for references [from, to) of a batch. Returns IOT_OK or IOT_ENOMEM. */
int read_ahead_refer(struct read_ahead *r, struct cache *c, const struct reference_batch *b,
		     uint32_t from, uint32_t to, uint8_t *result);

#endif
