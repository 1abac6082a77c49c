/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Blocks are cut from slabs. Large pools use huge pages for slabs: the first access to a small page
 * costs more than all later processing of its bytes.
 */
#include "slab.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
	HUGE_PAGE = 2 << 20,
	SLAB_HEAD = 64, /* precedes the blocks, so that they are aligned */
	SLAB_CHUNKS = 16,
};

struct slab {
	struct slab *next;
};

void slab_pool_init(struct slab_pool *p, size_t limit)
{
	size_t size = limit >= 16 << 20 ? 32768 : limit >= 1 << 20 ? 16384 : 2048;
	*p = (struct slab_pool){.limit = limit};
	p->slab_size = limit >= 32 * (size_t)HUGE_PAGE ? HUGE_PAGE : SLAB_CHUNKS * size;
	/* Blocks are slightly smaller so that a whole number of them fits after the slab's head. */
	p->chunk_size = size - SLAB_HEAD * ((p->slab_size / size + 63) / 64);
}

void slab_pool_free(struct slab_pool *p)
{
	while (p->slab != NULL) {
		struct slab *next = p->slab->next;
		free(p->slab);
		p->slab = next;
	}
	*p = (struct slab_pool){.limit = 0};
}

static size_t chunks_of_slab(const struct slab_pool *p)
{
	return (p->slab_size - SLAB_HEAD) / p->chunk_size;
}

size_t slab_pool_left(const struct slab_pool *p)
{
	size_t slabs = p->made < p->limit ? (p->limit - p->made) / p->slab_size : 0;
	return p->spare + slabs * chunks_of_slab(p);
}

static void *new_slab(size_t size)
{
	if (size < HUGE_PAGE)
		return malloc(size);
	void *slab = aligned_alloc(HUGE_PAGE, size);
	if (slab != NULL)
		(void)madvise(slab, size, MADV_HUGEPAGE); /* small pages work as well */
	return slab;
}

static int add_slab(struct slab_pool *p)
{
	struct slab *slab = new_slab(p->slab_size);
	if (slab == NULL)
		return 0;
	slab->next = p->slab;
	p->slab = slab;
	p->made += p->slab_size;
	char *at = (char *)slab + SLAB_HEAD;
	for (size_t i = chunks_of_slab(p); i-- > 0;)
		slab_pool_give(p, (void *)(at + i * p->chunk_size));
	return 1;
}

struct slab_block *slab_pool_get(struct slab_pool *p)
{
	if (p->free == NULL && !add_slab(p))
		return NULL;
	struct slab_block *chunk = p->free;
	if (chunk == NULL)
		return NULL;
	assert(p->spare > 0);
	p->free = chunk->next;
	p->spare--;
	chunk->next = NULL;
	chunk->used = 0;
	return chunk;
}

void slab_pool_give(struct slab_pool *p, struct slab_block *chunk)
{
	chunk->next = p->free;
	p->free = chunk;
	p->spare++;
}
