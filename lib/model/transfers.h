/* SPDX-License-Identifier: BSD-2-Clause */
/* A queue of transfers, in the order of their arrival. */
#ifndef LIB_MODEL_TRANSFERS_H
#define LIB_MODEL_TRANSFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct model_transfer {
	uint64_t size;
	uint32_t log, compute;
	bool is_write;
	bool acknowledged; /* the compute node does not wait for it */
	bool pooled;       /* it has space in the page pool */
};

struct model_transfers {
	struct model_transfer *of; /* a ring */
	size_t first, count, capacity;
};

/* Returns false if out of memory. */
bool model_transfers_add(struct model_transfers *q, const struct model_transfer *t);
/* Removes the first one of a queue that is not empty. */
struct model_transfer model_transfers_take(struct model_transfers *q);
void model_transfers_free(struct model_transfers *q);

#endif
