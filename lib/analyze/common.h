/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts exact values, up to a limit of distinct ones; further values are counted together. */
#ifndef LIB_ANALYZE_COMMON_H
#define LIB_ANALYZE_COMMON_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/idmap.h"

enum { COMMON_MAX = 4096, COMMON_CACHE = 64, COMMON_TOP = 10 };

#define COMMON_INEXACT "more than 4096 values: those of common ones are lower bounds"

/* All zeros: empty. */
struct common {
	struct idmap map;
	uint64_t *counts;
	size_t capacity;
	uint64_t other;               /* values beyond the limit */
	uint16_t cache[COMMON_CACHE]; /* by hash of the value: its number + 1 */
};

struct common_value {
	uint64_t value, count;
};

/* The slow path of common_add. */
bool common_add_other(struct common *c, uint64_t value, uint64_t count);

static inline unsigned common_cached(uint64_t value)
{
	return (unsigned)(value * 0x9e3779b97f4a7c15U >> 58);
}

/* Returns false if out of memory. */
static inline bool common_add(struct common *c, uint64_t value, uint64_t count)
{
	const unsigned number = c->cache[common_cached(value)];
	if (number == 0 || c->map.keys[number - 1] != value)
		return common_add_other(c, value, count);
	c->counts[number - 1] += count;
	return true;
}

/* Adds the counts of what follows. Returns false if out of memory. */
bool common_join(struct common *c, const struct common *more);
/*
 * Stores the most frequent values; of equal counts, smaller values first, as signed numbers if
 * is_signed. Returns their number.
 */
size_t common_top(const struct common *c, bool is_signed, struct common_value top[COMMON_TOP]);
void common_free(struct common *c);

#endif
