/* SPDX-License-Identifier: BSD-2-Clause */
/* The files that a sample keeps, and the arrays of statistics by file or pair. */
#ifndef LIB_ANALYZE_SAMPLE_KEPT_H
#define LIB_ANALYZE_SAMPLE_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The new number of each old number; UINT32_MAX: dropped. */
struct sample_kept {
	uint32_t *file, *pair;
	size_t files, pairs; /* old ones */
	bool others;         /* dropped files keep a number in common */
	uint32_t other_file; /* that number + 1; 0: none */
	uint32_t bits;       /* the sample has one in 2^bits files */
};

/* Moves elements to their new numbers, and clears those that have become free. */
void sample_keep(void *array, size_t capacity, size_t size, const uint32_t *to, size_t n);

#define SAMPLE_KEEP(ARRAY, CAPACITY, TO, N) sample_keep(ARRAY, CAPACITY, sizeof *(ARRAY), TO, N)

#endif
