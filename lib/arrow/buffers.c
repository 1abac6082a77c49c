/* SPDX-License-Identifier: BSD-2-Clause */
#include "buffers.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
	ALIGNMENT = 64,
	KEPT_MAX = 128,
	KEPT_BYTES_MAX = 32 << 20,
	/*
	 * Columns of full batches, which are written at many places by turns, come from huge pages:
	 * the processor would look up each of many small pages again. They are few, because a
	 * column that is held keeps them all.
	 */
	HUGE_PAGE = 2 << 20,
	HUGE_BYTES = 8 << 20,
	HUGE_MIN = 128 << 10,
};

struct buffers {
	pthread_mutex_t lock;
	size_t owners, count, bytes;
	bool closed;
	char *huge; /* HUGE_BYTES; NULL: not needed yet */
	size_t huge_used;
	struct {
		void *memory;
		size_t size;
	} kept[KEPT_MAX];
};

struct buffers *buffers_new(void)
{
	struct buffers *b = calloc(1, sizeof *b);
	if (b == NULL)
		return NULL;
	b->owners = 1;
	if (pthread_mutex_init(&b->lock, NULL) == 0)
		return b;
	free(b);
	return NULL;
}

struct buffers *buffers_share(struct buffers *b)
{
	pthread_mutex_lock(&b->lock);
	b->owners++;
	pthread_mutex_unlock(&b->lock);
	return b;
}

static bool is_huge(const struct buffers *b, const void *memory)
{
	return b->huge != NULL && (uintptr_t)memory - (uintptr_t)b->huge < HUGE_BYTES;
}

static void free_kept(struct buffers *b)
{
	while (b->count > 0)
		if (!is_huge(b, b->kept[--b->count].memory))
			free(b->kept[b->count].memory);
	b->bytes = 0;
}

void buffers_drop(struct buffers *b)
{
	if (b == NULL)
		return;
	pthread_mutex_lock(&b->lock);
	const bool last = --b->owners == 0;
	pthread_mutex_unlock(&b->lock);
	if (!last)
		return;
	free_kept(b);
	free(b->huge);
	pthread_mutex_destroy(&b->lock);
	free(b);
}

void buffers_close(struct buffers *b)
{
	pthread_mutex_lock(&b->lock);
	b->closed = true;
	free_kept(b);
	pthread_mutex_unlock(&b->lock);
}

/* Requests for equal columns have equal sizes. */
static size_t padded(size_t size)
{
	return (size / ALIGNMENT + 1) * ALIGNMENT;
}

static char *huge_pages(void)
{
	char *memory = aligned_alloc(HUGE_PAGE, HUGE_BYTES);
#ifdef MADV_HUGEPAGE
	if (memory != NULL)
		(void)madvise(memory, HUGE_BYTES, MADV_HUGEPAGE); /* without them it is slower */
#endif
	return memory;
}

/* Returns NULL if the size is too small for huge pages, or too large for what is left of them. */
static void *take_huge(struct buffers *b, size_t size)
{
	void *memory = NULL;
	pthread_mutex_lock(&b->lock);
	if (b->huge == NULL && size >= HUGE_MIN)
		b->huge = huge_pages();
	if (b->huge != NULL && size >= HUGE_MIN && size <= HUGE_BYTES - b->huge_used) {
		memory = b->huge + b->huge_used;
		b->huge_used += size;
	}
	pthread_mutex_unlock(&b->lock);
	return memory;
}

static void *take_kept(struct buffers *b, size_t size)
{
	void *memory = NULL;
	pthread_mutex_lock(&b->lock);
	for (size_t i = b->count; i-- > 0 && memory == NULL;) {
		if (b->kept[i].size != size)
			continue;
		memory = b->kept[i].memory;
		b->bytes -= size;
		b->kept[i] = b->kept[--b->count];
	}
	pthread_mutex_unlock(&b->lock);
	return memory;
}

void *buffers_get(struct buffers *b, size_t size)
{
	const size_t all = padded(size);
	void *memory = all > size ? take_kept(b, all) : NULL;
	if (memory == NULL && all > size)
		memory = take_huge(b, all);
	if (memory == NULL && all > size)
		memory = aligned_alloc(ALIGNMENT, all);
	return memory;
}

void buffers_give(struct buffers *b, void *memory, size_t size)
{
	const size_t all = padded(size);
	if (memory == NULL)
		return;
	pthread_mutex_lock(&b->lock);
	const bool keeps = !b->closed && b->count < KEPT_MAX && all <= KEPT_BYTES_MAX - b->bytes;
	if (keeps) {
		b->kept[b->count].memory = memory;
		b->kept[b->count++].size = all;
		b->bytes += all;
	}
	const bool ends = !keeps && !is_huge(b, memory);
	pthread_mutex_unlock(&b->lock);
	if (ends)
		free(memory);
}
