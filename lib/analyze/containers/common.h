/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts how often each value occurs. With more than COMMON_MAX distinct values, the table becomes
 * a sample: each value has a level, computed from the value alone, and the table keeps the values
 * from `level` on, which rises when the table is full. The result therefore depends neither on the
 * order of the values nor on how a trace was cut. Counts in the sample are exact; all other values
 * share one count. Round and small values have higher levels, because they are usually the common
 * ones.
 */
#ifndef LIB_ANALYZE_CONTAINERS_COMMON_H
#define LIB_ANALYZE_CONTAINERS_COMMON_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/idmap.h"

/* A level is the sum of two numbers of zero bits. */
enum { COMMON_LEVEL_MAX = 129 };
enum { COMMON_MAX = 16384, COMMON_CACHE = 64, COMMON_TOP = 10 };

#define COMMON_INEXACT "more than 16384 values: the most common in a sample; counts are exact"

/* All zeros: empty. */
struct common {
	struct idmap map;
	uint64_t *counts;
	size_t capacity;
	uint64_t other;               /* the count of all values outside of the sample */
	unsigned level;               /* lowest level in the table */
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

/* Returns whether a table of this level keeps the value. */
bool common_keeps(unsigned level, uint64_t value);
/* Adds the counts of another table. Returns false if out of memory. */
bool common_join(struct common *c, const struct common *more);
/*
 * Stores the most frequent values; of equal counts, smaller values first, as signed numbers if
 * is_signed. Returns their number.
 */
size_t common_top(const struct common *c, bool is_signed, struct common_value top[COMMON_TOP]);
void common_free(struct common *c);

#endif
