/* SPDX-License-Identifier: BSD-2-Clause */
/* A pool of memory blocks of one size, with a limit; returned blocks are reused. */
#ifndef LIB_BASE_SLAB_H
#define LIB_BASE_SLAB_H

#include <stddef.h>

struct slab_block {
	struct slab_block *next;
	size_t used; /* owned by the user of the block, like data */
	unsigned char data[];
};

struct slab;

struct slab_pool {
	size_t chunk_size, slab_size, limit; /* bytes */
	size_t made;                         /* bytes allocated in slabs */
	size_t spare;                        /* free blocks */
	struct slab_block *free;
	struct slab *slab;
};

void slab_pool_init(struct slab_pool *p, size_t limit);
void slab_pool_free(struct slab_pool *p); /* Frees the pool and all its blocks. */

/* Returns the number of blocks still available within the limit. */
size_t slab_pool_left(const struct slab_pool *p);
/*
 * Returns a block even beyond the limit, for callers that cannot release one. Returns NULL if out
 * of memory.
 */
struct slab_block *slab_pool_get(struct slab_pool *p);
void slab_pool_give(struct slab_pool *p, struct slab_block *chunk);

/* Returns the number of data bytes in a block. */
static inline size_t slab_block_capacity(const struct slab_pool *p)
{
	return p->chunk_size - sizeof(struct slab_block);
}

#endif
