/* SPDX-License-Identifier: BSD-2-Clause */
/* Pieces of memory of one size, within a limit, given back to be used again. */
#ifndef LIB_BASE_SLAB_H
#define LIB_BASE_SLAB_H

#include <stddef.h>

struct slab_block {
	struct slab_block *next;
	size_t used; /* the owner's, as is data */
	unsigned char data[];
};

struct slab;

struct slab_pool {
	size_t chunk_size, slab_size, limit; /* bytes */
	size_t made;                         /* bytes, in slabs */
	size_t spare;                        /* chunks to be used again */
	struct slab_block *free;
	struct slab *slab;
};

void slab_pool_init(struct slab_pool *c, size_t limit);
void slab_pool_free(struct slab_pool *c); /* and all chunks */

/* Chunks that can be had within the limit. */
size_t slab_pool_left(const struct slab_pool *c);
/* Beyond the limit too: for who has nothing else to give. NULL: no memory. */
struct slab_block *slab_pool_get(struct slab_pool *c);
void slab_pool_give(struct slab_pool *c, struct slab_block *chunk);

/* Bytes of data in a chunk. */
static inline size_t slab_block_capacity(const struct slab_pool *c)
{
	return c->chunk_size - sizeof(struct slab_block);
}

#endif
