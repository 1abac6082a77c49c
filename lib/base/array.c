/* SPDX-License-Identifier: BSD-2-Clause */
#include "array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Sanitizers find a missing reservation only at the end of an array; 1 makes ends frequent. */
#ifndef ARRAY_CAPACITY_FIRST
#define ARRAY_CAPACITY_FIRST 16
#endif

/* From LARGE bytes on, realloc() moves pages instead of copying, so less needs to be reserved. */
enum { LARGE = 32 << 20, LARGE_GROWTH = 8 };

/*
 * Object pointers have one representation but no common type, so a pointer to one is copied as
 * bytes.
 */
static void *pointer_at(const void *array)
{
	void *at;
	memcpy(&at, array, sizeof at);
	return at;
}

bool array_reserve(void *array, size_t *capacity, size_t need, size_t size)
{
	if (need <= *capacity)
		return true;
	const size_t by = *capacity >= LARGE / size ? *capacity / LARGE_GROWTH : *capacity;
	size_t more = need < *capacity + by ? *capacity + by : need;
	if (more < ARRAY_CAPACITY_FIRST)
		more = ARRAY_CAPACITY_FIRST;
	if (more > SIZE_MAX / 2 / size)
		return false;
	void *grown = realloc(pointer_at(array), more * size);
	if (grown == NULL)
		return false;
	memcpy(array, &grown, sizeof grown);
	*capacity = more;
	/* cppcheck-suppress memleak */
	return true;
}

bool array_grow_zeroed(void *array, size_t *capacity, size_t index, size_t size)
{
	const size_t before = *capacity;
	if (index == SIZE_MAX || !array_reserve(array, capacity, index + 1, size))
		return false;
	memset((char *)pointer_at(array) + before * size, 0, (*capacity - before) * size);
	return true;
}
