/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The events that a sorter got last: an array of small keys, which is what gets sorted, and an arena
 * with the events themselves in the order they came. Events leave in order from the front; their
 * room is taken back when it is at least as much as what is still held. Meant to be few enough for a
 * processor's cache.
 */
#ifndef LIB_SORT_SORT_BUFFER_H
#define LIB_SORT_SORT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <iotrace/iotrace.h>

#include "keysort.h"

/*
 * keys: [0, head) have left, [head, sorted) are in order, [sorted, count) as they came. The tie of
 * one is its process or 0, then in 31 bits where it is in the arena; the lowest bit: see EXTENDED.
 */
struct sort_buffer {
	bool by_process;
	bool in_order;   /* they came in order, as far as they are held */
	size_t descents; /* of those not sorted yet: before the one on their left */
	struct sort_key *key, *spare;
	size_t head, sorted, count, capacity, spare_capacity;
	char *arena, *other; /* other: to move what stays to */
	size_t used, arena_capacity, other_capacity;
	size_t reclaimable; /* bytes of the arena whose events have left */
	int64_t lowest;     /* start of the earliest key not yet sorted in */
};

/* Bytes held: keys with as much room for sorting, events with their share of that for moving. */
static inline size_t sort_buffer_bytes(const struct sort_buffer *p)
{
	return p->used + p->used / 2 + p->count * (2 * sizeof(struct sort_key));
}

/* Adds an event, and more while less than `full` bytes are held. How many; 0: no memory. */
size_t sort_buffer_add(struct sort_buffer *p, const struct iot_event *ev, size_t n, size_t full);

bool sort_buffer_sort(struct sort_buffer *p); /* false: no memory */
/* The first key, when sorted, that does not start before `end`. */
size_t sort_buffer_lower_bound(const struct sort_buffer *p, int64_t end);
/* True if some event held starts before `end`. */
bool sort_buffer_has_before(const struct sort_buffer *p, int64_t end);

/* Moves keys [head, upto) out, at most max; text stays until sort_buffer_compact or add. */
size_t sort_buffer_pop(struct sort_buffer *p, size_t end, struct iot_event *out, size_t max);
/* The same up to the first event that is more than a record; they stay as long as text does. */
size_t sort_buffer_pop_records(struct sort_buffer *p, size_t end, const struct iot_record **out,
			       size_t max);

/* Takes back the room of events that have left, if it is worth it. Sorted. False: no memory. */
bool sort_buffer_compact(struct sort_buffer *p);

void sort_buffer_free(struct sort_buffer *p); /* holds nothing then, and can be used again */

#endif
