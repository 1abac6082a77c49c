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
struct iot_pending {
	bool by_process;
	bool in_order; /* they came in order, as far as they are held */
	size_t falls;  /* of those not sorted yet: before the one on their left */
	struct iot_key *key, *spare;
	size_t head, sorted, count, room, spare_room;
	char *arena, *other; /* other: to move what stays to */
	size_t used, arena_room, other_room;
	size_t dead;    /* bytes of the arena whose events have left */
	int64_t lowest; /* start of the earliest key not yet sorted in */
};

/* Bytes held: keys with as much room for sorting, events with their share of that for moving. */
static inline size_t iot_pending_bytes(const struct iot_pending *p)
{
	return p->used + p->used / 2 + p->count * (2 * sizeof(struct iot_key));
}

/* Adds an event, and more while less than `full` bytes are held. How many; 0: no memory. */
size_t iot_pending_add(struct iot_pending *p, const struct iot_event *ev, size_t n, size_t full);

bool iot_pending_sort(struct iot_pending *p); /* false: no memory */
/* The first key, when sorted, that does not start before `end`. */
size_t iot_pending_upto(const struct iot_pending *p, int64_t end);
/* True if some event held starts before `end`. */
bool iot_pending_before(const struct iot_pending *p, int64_t end);

/* Moves keys [head, upto) out, at most max; text stays until iot_pending_tidy or add. */
size_t iot_pending_take(struct iot_pending *p, size_t upto, struct iot_event *out, size_t max);
/* The same up to the first event that is more than a record; they stay as long as text does. */
size_t iot_pending_take_records(struct iot_pending *p, size_t upto, const struct iot_record **out,
				size_t max);

/* Takes back the room of events that have left, if it is worth it. Sorted. False: no memory. */
bool iot_pending_tidy(struct iot_pending *p);

void iot_pending_free(struct iot_pending *p); /* holds nothing then, and can be used again */

#endif
