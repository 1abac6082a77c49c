/* SPDX-License-Identifier: BSD-2-Clause */
/* All references of a trace in order, with the next reference to the same key, for OPT. */
#ifndef LIB_SIMULATE_FUTURE_H
#define LIB_SIMULATE_FUTURE_H

#include "cache.h"

struct future_drop {
	size_t before; /* index of the first reference after the drop */
	uint64_t first, last;
};

/* Initialize to zero. */
struct future {
	struct cache_future references;
	uint64_t *key;
	uint32_t *next;
	size_t count, capacity;
	struct future_drop *drops;
	size_t drop_count, drop_capacity;
};

/* Each returns IOT_OK; IOT_ENOMEM; IOT_ELIMIT for more than CACHE_NEVER - 1 references. */
int future_add(struct future *f, const uint64_t *key, size_t n);
/* The blocks of [first, last] leave the cache before the next reference. */
int future_drop(struct future *f, uint64_t first, uint64_t last);
/* Computes f->references, after all references. */
int future_finish(struct future *f);
void future_free(struct future *f);

/* Bytes for each reference, while it is collected and computed. */
enum { FUTURE_REFERENCE_BYTES = sizeof(uint64_t) + sizeof(uint32_t) };

#endif
