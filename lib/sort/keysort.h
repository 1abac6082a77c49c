/* SPDX-License-Identifier: BSD-2-Clause */
/* Small keys put in order of start and then of tie. */
#ifndef LIB_SORT_KEYSORT_H
#define LIB_SORT_KEYSORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sort_key {
	int64_t start;
	uint64_t tie;
};

/*
 * Sorts a[0 .. n), of which the first `done` are in order, and of the others each that starts before its
 * neighbour on the left is one of so many falls. by_start: those that start together are in order
 * of their ties already. spare: room for n keys.
 */
void keysort(struct sort_key *a, size_t n, size_t done, size_t descents, bool by_start,
	     struct sort_key *spare);

#endif
