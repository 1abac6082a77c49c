/* SPDX-License-Identifier: BSD-2-Clause */
#include "zipf.h"

#include <math.h>
#include <stdlib.h>

/* The first element that is not less than a value, which is at most the last one. */
static size_t find(const double *sum, size_t n, double value)
{
	size_t low = 0, high = n - 1;
	while (low < high) {
		const size_t middle = (low + high) / 2;
		if (sum[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint64_t *zipf_keys(size_t n, size_t distinct)
{
	double *sum = malloc(distinct * sizeof *sum), all = 0;
	uint64_t *key = malloc(n * sizeof *key), state = 1;
	if (sum == NULL || key == NULL) {
		free(sum);
		free(key);
		return NULL;
	}
	for (size_t i = 0; i < distinct; i++)
		sum[i] = all += pow((double)(i + 1), -0.9);
	for (size_t i = 0; i < n; i++) {
		state = state * 6364136223846793005U + 1442695040888963407U;
		const double at = (double)(state >> 11) * 0x1p-53 * all;
		key[i] = find(sum, distinct, at) * 2654435761U % distinct;
	}
	free(sum);
	return key;
}
