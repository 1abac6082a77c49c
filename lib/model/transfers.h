/* SPDX-License-Identifier: BSD-2-Clause */
/* A queue of transfers, in the order of their arrival. */
#ifndef LIB_MODEL_TRANSFERS_H
#define LIB_MODEL_TRANSFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TRANSFERS_OF_BLOCK = 63 };

#define TRANSFER_SIZE_MASK ((UINT64_C(1) << 53) - 1)

/* A page pool of small writes has many of them. */
struct model_transfer {
	uint64_t size : 53; /* at most MODEL_BYTES_MAX + 1 */
	bool is_write : 1;
	bool acknowledged : 1; /* the compute node does not wait for it */
	bool pooled : 1;       /* it has space in the page pool */
	uint32_t log, compute;
};

struct transfer_block;

/* Blocks are allocated as transfers arrive, and freed as they leave. Start with {0}. */
struct model_transfers {
	struct transfer_block *first, *last;
	size_t count;
	uint32_t at; /* of the first transfer in its block */
};

/* Returns false if out of memory. */
bool model_transfers_add(struct model_transfers *q, const struct model_transfer *t);
/* Returns the first one of a queue that is not empty. */
const struct model_transfer *model_transfers_first(const struct model_transfers *q);
/* Removes the first one of a queue that is not empty. */
struct model_transfer model_transfers_take(struct model_transfers *q);
void model_transfers_free(struct model_transfers *q);

#endif
