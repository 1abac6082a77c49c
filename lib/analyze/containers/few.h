/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts up to 64 distinct values exactly. With more, the counts are dropped for good: the result
 * depends neither on the order of the values nor on how they were divided among parts.
 */
#ifndef LIB_ANALYZE_CONTAINERS_FEW_H
#define LIB_ANALYZE_CONTAINERS_FEW_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/ahead.h"

enum { FEW_MAX = 64 };

struct few_value {
	uint64_t value, count;
};

/* All zeros: empty. */
struct few {
	struct few_value first;  /* the value seen first, without allocation */
	struct few_value *other; /* malloced */
	uint8_t used, capacity;  /* of `other` */
	bool many;
};

/* The slow path of few_add. */
bool few_add_other(struct few *f, uint64_t value, uint64_t count);

/* Returns false if out of memory. */
static inline bool few_add(struct few *f, uint64_t value, uint64_t count)
{
	if (f->many)
		return true;
	if (f->first.count == 0 || f->first.value != value)
		return few_add_other(f, value, count);
	f->first.count += count;
	return true;
}

/* Loads what few_add() reads, once the element itself is loaded. */
static inline void few_ahead(const struct few *f)
{
	if (f->used > 0)
		ahead_load(f->other, f->used * sizeof *f->other);
}

/* Returns whether few_add() of a value needs no memory. */
static inline bool few_counts(const struct few *f, uint64_t value)
{
	return f->many || (f->first.count > 0 && f->first.value == value);
}

/* Adds the counts of another. Returns false if out of memory. */
bool few_join(struct few *f, const struct few *more);
/* Returns value i, or NULL if there are no more. */
const struct few_value *few_at(const struct few *f, unsigned i);
/*
 * The two most frequent values, of equal counts the smaller signed number first; their counts are 0
 * if there are fewer.
 */
void few_largest(const struct few *f, struct few_value largest[2]);
void few_free(struct few *f);

#endif
