/* SPDX-License-Identifier: BSD-2-Clause */
#include "sample_kept.h"

#include <string.h>

void sample_keep(void *array, size_t capacity, size_t size, const uint32_t *to, size_t n)
{
	char *at = array;
	size_t next = 0;
	for (size_t i = 0; i < n && i < capacity; i++) {
		if (to[i] == UINT32_MAX)
			continue;
		if (to[i] != i)
			memcpy(at + to[i] * size, at + i * size, size);
		next = to[i] + 1;
	}
	if (capacity > 0)
		memset(at + next * size, 0, (capacity - next) * size);
}
