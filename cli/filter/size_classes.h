/* SPDX-License-Identifier: BSD-2-Clause */
/* How many I/Os there are of each class of sizes. Most rows of stat have few classes, so these are kept packed. */
#ifndef CLI_FILTER_SIZE_CLASSES_H
#define CLI_FILTER_SIZE_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

/* Class 0: nothing; class k: 2^(k-1) bytes and more; the last one has no upper end. */
enum { IOT_SIZE_CLASSES = 42 };

struct iot_size_counts {
	uint8_t used, room;
	uint8_t at[IOT_SIZE_CLASSES]; /* where the count of a class is, + 1; 0: nowhere */
	uint64_t count[];
};

/* Zeros: none. */
struct iot_sizes {
	union {
		uint64_t only;                  /* the count of the one class ... */
		struct iot_size_counts *counts; /* ... or malloced */
	};
	uint8_t single; /* that class + 1; 0: `counts`, or NULL */
};

bool iot_sizes_add_to_many(struct iot_sizes *s, unsigned class, uint64_t n);

/* False: no memory. */
static inline bool iot_sizes_add(struct iot_sizes *s, unsigned class, uint64_t n)
{
	if (s->single == class + 1) {
		s->only += n;
		return true;
	}
	if (s->single == 0 && s->counts != 0 && s->counts->at[class] > 0) {
		s->counts->count[s->counts->at[class] - 1] += n;
		return true;
	}
	return iot_sizes_add_to_many(s, class, n);
}

uint64_t iot_sizes_count(const struct iot_sizes *s, unsigned class);
/* Adds all of them. False: no memory. */
bool iot_sizes_join(struct iot_sizes *s, const struct iot_sizes *more);
void iot_sizes_free(struct iot_sizes *s);

#endif
