/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts I/Os by class of size. Most rows of stat have few classes, so the counts are stored
 * packed.
 */
#ifndef CLI_FILTER_SIZE_CLASSES_H
#define CLI_FILTER_SIZE_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

/* Class 0: size 0; class k: 2^(k-1) bytes and more; the last one has no upper bound. */
enum { SIZE_CLASSES = 42 };

struct size_counts {
	uint8_t used, capacity;
	uint8_t at[SIZE_CLASSES]; /* index + 1 of the count of a class; 0: none */
	uint64_t count[];
};

/* All zeros: empty. */
struct sizes {
	union {
		uint64_t only;              /* the count of the one class ... */
		struct size_counts *counts; /* ... or malloced */
	};
	uint8_t single; /* that class + 1; 0: `counts`, or NULL */
};

bool sizes_add_to_many(struct sizes *s, unsigned class, uint64_t n);

/* Returns false if out of memory. */
static inline bool sizes_add(struct sizes *s, unsigned class, uint64_t n)
{
	if (s->single == class + 1) {
		s->only += n;
		return true;
	}
	if (s->single == 0 && s->counts != 0 && s->counts->at[class] > 0) {
		s->counts->count[s->counts->at[class] - 1] += n;
		return true;
	}
	return sizes_add_to_many(s, class, n);
}

uint64_t sizes_count(const struct sizes *s, unsigned class);
/* Adds all counts. Returns false if out of memory. */
bool sizes_join(struct sizes *s, const struct sizes *more);
void sizes_free(struct sizes *s);

#endif
