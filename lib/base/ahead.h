/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads memory that a loop will use some steps later, so that its cache misses overlap: the state
 * of many processes and files is larger than the caches.
 */
#ifndef LIB_BASE_AHEAD_H
#define LIB_BASE_AHEAD_H

#include <stddef.h>

/* Steps: far enough for memory to arrive, near enough for it to stay. */
enum { AHEAD_STEPS = 16, AHEAD_LINE = 64 };

/*
 * Loads `size` bytes. GCC takes a function that only prefetches for one without effect, and drops
 * calls of it, and of those that call nothing else; it keeps the asm statement, which is empty.
 */
static inline void ahead_load(const void *at, size_t size)
{
	__asm__ volatile("");
	for (size_t i = 0; i < size; i += AHEAD_LINE)
		__builtin_prefetch((const char *)at + i, 1);
}

/* Loads an element of an array of `capacity` elements, if it has one of this index. */
static inline void ahead_element(const void *array, size_t capacity, size_t index, size_t size)
{
	if (index < capacity)
		ahead_load((const char *)array + index * size, size);
}

#endif
