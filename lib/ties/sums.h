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

/* Adds a row to the sums of its file. Returns false if out of memory. */
bool tie_sums_add_row(struct tie_sums *s, struct tie_row *of);
/* The sum of all rows. */
struct tie_row tie_sums_total(const struct tie_sums *s);

/* Most physical bytes first; add nothing afterwards. */
void tie_sums_sort(struct tie_sums *s);

/* Compares rows by their files, for qsort. */
int tie_row_by_file(const void *a, const void *b);

/* The numbers of a row, and their keys in %counter. */
enum { TIE_ROW_NUMBERS = 7 };
extern const char *const tie_row_keys[TIE_ROW_NUMBERS];
uint64_t *tie_row_number(struct tie_row *row, size_t i);

/* The counters as directives in memory of at least TIE_COUNTER_MAX bytes. */
enum { TIE_COUNTER_MAX = 512 };
void tie_counter_of_kind(struct iot_builder *b, void *memory, enum tie_kind kind,
			 const struct tie_kind_sum *sum);
void tie_counter_of_row(struct iot_builder *b, void *memory, const struct tie_row *row);

#endif
