/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls that take much longer than their bytes explain, by process and file: a storage system that
 * hangs, a file that comes from tape, a server that does not answer.
 */
#ifndef LIB_ANALYZE_SLOW_CALLS_H
#define LIB_ANALYZE_SLOW_CALLS_H

#include "requests.h"

struct state;

enum {
	/* A kernel that slows writers down lets them sleep for up to 200 ms. */
	SLOW_CALL_NS_MIN = 250000000,
	/* Calls with more than 4 MB/s transfer data, they do not wait. */
	SLOW_CALL_NS_PER_BYTE = 250
};

struct slow_sum {
	uint64_t calls[3], ns[3]; /* reads, writes, opens and closes */
	uint64_t max_ns;          /* of one call */
};

/* All zeros: empty. */
struct slow_calls {
	struct slow_sum *pairs; /* by pair; none before the first slow call */
	size_t pair_capacity;
	struct slow_sum other; /* opens and closes whose file is not known */
};

/* Returns the slow calls of a pair, NULL if it has none. */
const struct slow_sum *slow_calls_of(const struct slow_calls *c, size_t pair);
void slow_sum_add(struct slow_sum *to, const struct slow_sum *from);

#endif
