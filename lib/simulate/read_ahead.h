/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * References one after the other: with prefetching, which decides after each of them or after each
 * record, and with estimates of the time of the device.
 */
#ifndef LIB_SIMULATE_READ_AHEAD_H
#define LIB_SIMULATE_READ_AHEAD_H

#include "simulation.h"

struct read_ahead;

/* estimate: NULL: none. Returns NULL if out of memory. */
struct read_ahead *read_ahead_new(const struct simulation_options *options,
				  struct estimate *estimate);
void read_ahead_free(struct read_ahead *r); /* NULL is ignored */
/* The last of the blocks up to this key that can have been prefetched. */
uint64_t read_ahead_last(const struct read_ahead *r, uint64_t key);
/* As cache_refer for references [from, to) of a batch. Returns IOT_OK or IOT_ENOMEM. */
int read_ahead_refer(struct read_ahead *r, struct cache *c, const struct reference_batch *b,
		     uint32_t from, uint32_t to, uint8_t *result);

#endif
