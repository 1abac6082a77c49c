/* SPDX-License-Identifier: BSD-2-Clause */
#include "array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY_FIRST = 16 };

bool array_reserve(void *array, size_t *capacity, size_t need, size_t size)
{
	void *at;
	if (need <= *capacity)
		return true;
	size_t more = *capacity > need / 2 ? 2 * *capacity : need;
	if (more < CAPACITY_FIRST)
		more = CAPACITY_FIRST;
	if (more > SIZE_MAX / 2 / size)
		return false;
	/*
	 * Object pointers have one representation but no common type, so the pointer is copied as
	 * bytes.
	 */
	memcpy(&at, array, sizeof at);
	void *grown = realloc(at, more * size);
	if (grown == NULL)
		return false;
	memcpy(array, &grown, sizeof grown);
	*capacity = more;
	/* cppcheck-suppress memleak */
	return true;
}
