/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts of I/Os by class of size, packed, because most rows have few classes. */
#ifndef IOTRACE_LIB_STATS_SIZE_COUNTS_H
#define IOTRACE_LIB_STATS_SIZE_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include <iotrace/filter.h>

/* All zeros: empty. */
struct packed_counts {
	uint8_t used, capacity;
	uint8_t at[IOT_SIZE_CLASSES]; /* index + 1 of the count of a class; 0: none */
	uint64_t count[];
};

struct size_counts {
	union {
		uint64_t only;                /* the count of the one class ... */
		struct packed_counts *counts; /* ... or malloced */
	};
	uint8_t single; /* that class + 1; 0: `counts`, or NULL */
};

/* Like size_counts_add, of a class that the row may not have yet. */
bool size_counts_add_to_many(struct size_counts *s, unsigned class, uint64_t n);

/* Returns false if out of memory. */
static inline bool size_counts_add(struct size_counts *s, unsigned class, uint64_t n)
{
	if (s->single == class + 1) {
		s->only += n;
		return true;
	}
	if (s->single == 0 && s->counts != NULL && s->counts->at[class] > 0) {
		s->counts->count[s->counts->at[class] - 1] += n;
		return true;
	}
	return size_counts_add_to_many(s, class, n);
}

uint64_t size_counts_count(const struct size_counts *s, unsigned class);

/* Adds the counts of another row. Returns false if out of memory. */
bool size_counts_join(struct size_counts *s, const struct size_counts *more);

/* Returns false if out of memory; the copy can be freed nevertheless. */
bool size_counts_copy(struct size_counts *to, const struct size_counts *from);

/* Afterwards the counts are empty. */
void size_counts_free(struct size_counts *s);

#endif
