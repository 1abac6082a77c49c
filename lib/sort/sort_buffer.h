/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sort buffer: the newest events of a sorter, as an array of small keys, which is sorted, and
 * an arena with the events in order of arrival. Events leave in order from the front; the memory
 * of events that have left is reclaimed when it is at least as large as the memory of the others.
 * The buffer is meant to fit a processor's cache.
 */
#ifndef LIB_SORT_SORT_BUFFER_H
#define LIB_SORT_SORT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <iotrace/iotrace.h>

#include "keysort.h"

/*
 * keys: [0, head) have left, [head, sorted) are sorted, [sorted, count) in order of arrival. The
 * tiebreak of a key is its process or 0, then 31 bits of position in the arena; the lowest bit is
 * EXTENDED.
 */
struct sort_buffer {
	bool by_process;
	bool in_order; /* all events in the buffer arrived in order */
	bool descends; /* some unsorted key is less than its left neighbour */
	struct sort_key *key, *spare;
	size_t head, sorted, count, capacity, spare_capacity;
	char *arena, *other; /* other: the arena to move remaining events to */
	size_t used, arena_capacity, other_capacity;
	size_t reclaimable; /* bytes of the arena whose events have left */
	int64_t lowest;     /* start of the earliest unsorted key */
};

/*
 * Returns the bytes in use: keys with the same again for sorting, events with half again for
 * moving.
 */
static inline size_t sort_buffer_bytes(const struct sort_buffer *b)
{
	return b->used + b->used / 2 + b->count * (2 * sizeof(struct sort_key));
}

/*
 * Adds an event, and more while fewer than `full` bytes are in use. tag: their tags, or NULL: all
 * are 0. Returns the number added; 0 if out of memory.
 */
size_t sort_buffer_add(struct sort_buffer *b, const struct iot_event *ev, const uint32_t *tag,
		       size_t n, size_t full);

bool sort_buffer_sort(struct sort_buffer *b); /* Returns false if out of memory. */
/* Returns the first key that does not start before `end`. Requires a sorted buffer. */
size_t sort_buffer_lower_bound(const struct sort_buffer *b, int64_t end);
/* Returns whether some event in the buffer starts before `end`. */
bool sort_buffer_has_before(const struct sort_buffer *b, int64_t end);

/*
 * Pops up to max events of keys [head, end), and their tags unless `tag` is NULL; text is valid
 * until sort_buffer_compact or add.
 */
size_t sort_buffer_pop(struct sort_buffer *b, size_t end, struct iot_event *out, uint32_t *tag,
		       size_t max);

/*
 * Reclaims the memory of events that have left, if worthwhile, and sorts the rest. Returns false if
 * out of memory.
 */
bool sort_buffer_compact(struct sort_buffer *b);

void sort_buffer_free(struct sort_buffer *b); /* Empties the buffer, which can be used again. */

#endif
