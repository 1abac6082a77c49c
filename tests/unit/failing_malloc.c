/* SPDX-License-Identifier: BSD-2-Clause */
#include "failing_malloc.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *memory);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *memory);

static atomic_long live, left; /* left: allocations that succeed before one fails */
static atomic_bool limited, fails_for_ever, failed;

void failing_malloc_begin(long at, bool for_ever)
{
	atomic_store(&left, at - 1);
	atomic_store(&fails_for_ever, for_ever);
	atomic_store(&failed, false);
	atomic_store(&limited, true);
}

void failing_malloc_end(void)
{
	atomic_store(&limited, false);
}

bool failing_malloc_failed(void)
{
	return atomic_load(&failed);
}

long failing_malloc_live(void)
{
	return atomic_load(&live);
}

static bool fails(void)
{
	if (!atomic_load(&limited))
		return false;
	const long before = atomic_fetch_sub(&left, 1);
	if (before > 0 || (before < 0 && !atomic_load(&fails_for_ever)))
		return false;
	atomic_store(&failed, true);
	errno = ENOMEM;
	return true;
}

static void *counted(void *memory)
{
	atomic_fetch_add(&live, memory != NULL);
	return memory;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	return fails() ? NULL : counted(__real_aligned_alloc(alignment, size));
}

void *__wrap_realloc(void *old, size_t size)
{
	if (fails())
		return NULL;
	return old == NULL ? counted(__real_malloc(size)) : __real_realloc(old, size);
}

void __wrap_free(void *memory)
{
	atomic_fetch_sub(&live, memory != NULL);
	__real_free(memory);
}
