/* SPDX-License-Identifier: BSD-2-Clause */
/* Pieces of memory of one size, within a limit, given back to be used again. */
#ifndef LIB_BASE_SLAB_H
#define LIB_BASE_SLAB_H

#include <stddef.h>

struct iot_chunk {
	struct iot_chunk *next;
	size_t used; /* the owner's, as is data */
	unsigned char data[];
};

struct iot_slab;

struct iot_chunks {
	size_t chunk_size, slab_size, limit; /* bytes */
	size_t made;                         /* bytes, in slabs */
	size_t spare;                        /* chunks to be used again */
	struct iot_chunk *free;
	struct iot_slab *slab;
};

void iot_chunks_init(struct iot_chunks *c, size_t limit);
void iot_chunks_free(struct iot_chunks *c); /* and all chunks */

/* Chunks that can be had within the limit. */
size_t iot_chunks_left(const struct iot_chunks *c);
/* Beyond the limit too: for who has nothing else to give. NULL: no memory. */
struct iot_chunk *iot_chunks_get(struct iot_chunks *c);
void iot_chunks_give(struct iot_chunks *c, struct iot_chunk *chunk);

/* Bytes of data in a chunk. */
static inline size_t iot_chunk_room(const struct iot_chunks *c)
{
	return c->chunk_size - sizeof(struct iot_chunk);
}

#endif
