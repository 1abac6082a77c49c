/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts small keys by start, then by tiebreak. */
#ifndef LIB_SORT_KEYSORT_H
#define LIB_SORT_KEYSORT_H

#include <stddef.h>
#include <stdint.h>

struct sort_key {
	int64_t start;
	uint64_t tie;
};

/* Sorts a[0 .. n). The prefix a[0 .. done) is already in order. spare: capacity for n keys. */
void keysort(struct sort_key *a, size_t n, size_t done, struct sort_key *spare);

#endif
