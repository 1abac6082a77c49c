/* SPDX-License-Identifier: BSD-2-Clause */
/* Growing arrays. */
#ifndef LIB_BASE_ARRAY_H
#define LIB_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Reserves capacity for `need` elements of `size` bytes in an array that starts as NULL with
 * capacity 0; growing at least doubles the capacity. array: the address of the pointer to the
 * array. Returns false, with nothing changed, if out of memory.
 */
bool array_reserve(void *array, size_t *capacity, size_t need, size_t size);

#endif
