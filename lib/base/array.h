/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays that grow. */
#ifndef LIB_BASE_ARRAY_H
#define LIB_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Room for `need` elements of `size` bytes in an array that began as NULL with no room, and that at
 * least doubles when it grows. array: the address of the pointer to it. False: no memory, and
 * nothing has changed.
 */
bool array_reserve(void *array, size_t *capacity, size_t need, size_t size);

#endif
