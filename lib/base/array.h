/* SPDX-License-Identifier: BSD-2-Clause */
/* Growing arrays. */
#ifndef LIB_BASE_ARRAY_H
#define LIB_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Reserves capacity for `need` elements of `size` bytes in an array that starts as NULL with
 * capacity 0; growing at least doubles the capacity, or adds an eighth to a large one.
 * array: the address of the pointer to the array. Returns false, with nothing changed, if out of
 * memory.
 */
bool array_reserve(void *array, size_t *capacity, size_t need, size_t size);

/* The slow path of array_reserve_index. */
bool array_grow_zeroed(void *array, size_t *capacity, size_t index, size_t size);

/*
 * Reserves an array up to element `index`, with new elements zero. Returns false if out of memory,
 * also for the index SIZE_MAX, with which idmap_number() reports that.
 */
static inline bool array_reserve_index(void *array, size_t *capacity, size_t index, size_t size)
{
	return index < *capacity || array_grow_zeroed(array, capacity, index, size);
}

#endif
