/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sums of ties, as %counter directives state them: one for each kind of tie and one for each file
 * with ties or extents.
 *
 *	%counter source=ties kind=map reads=3 read-bytes=12288 writes=0 written-bytes=0
 *	%counter source=ties object=7 logical.read-bytes=4096 physical.read-bytes=12288 ...
 */
#ifndef LIB_TIES_SUMS_H
#define LIB_TIES_SUMS_H

#include "match.h"

/* Physical records of one kind of tie. */
struct tie_kind_sum {
	uint64_t records[TIE_DIRECTIONS], bytes[TIE_DIRECTIONS];
};

struct tie_sums {
	bool any; /* a counter of ties was added */
	struct tie_kind_sum kind[TIE_KINDS];
	struct idmap rows;
	struct tie_row *row;
	size_t capacity;
};

extern const char *const tie_kind_names[TIE_KINDS];

void tie_sums_free(struct tie_sums *s);
/* Adds an event if it is a %counter of ties. Returns false if out of memory. */
bool tie_sums_event(struct tie_sums *s, const struct iot_event *ev);
/* Adds the sums of a later part of the trace. Returns false if out of memory. */
bool tie_sums_join(struct tie_sums *s, const struct tie_sums *later);

/* Most physical bytes first; add nothing afterwards. */
void tie_sums_sort(struct tie_sums *s);

/* The counters as directives in memory of at least TIE_COUNTER_MAX bytes. */
enum { TIE_COUNTER_MAX = 512 };
void tie_counter_of_kind(struct iot_builder *b, void *memory, enum tie_kind kind,
			 const struct tie_kind_sum *sum);
void tie_counter_of_row(struct iot_builder *b, void *memory, const struct tie_row *row);

#endif
