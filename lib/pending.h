/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events held in memory by a sorter: an array of small keys, which is what gets sorted, and an
 * arena with the events themselves in the order they came. Events leave in order from the front;
 * their room is taken back when it is at least as much as what is still held.
 */
#ifndef IOT_LIB_PENDING_H
#define IOT_LIB_PENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <iotrace/iotrace.h>

struct iot_key {
	int64_t start;
	uint64_t where; /* offset in the arena; bit 0: kind, has and text follow the record */
};

/* keys: [0, head) have left, [head, sorted) are in order, [sorted, count) as they came */
struct iot_pending {
	struct iot_key *key, *spare;
	size_t head, sorted, count, room, spare_room;
	char *arena;
	size_t used, arena_room;
	size_t dead;    /* bytes of the arena whose events have left */
	int64_t lowest; /* start of the earliest key not yet sorted in */
};

/* What one key costs: itself, and its share of the room for merging. */
enum { IOT_KEY_COST = 3 * sizeof(struct iot_key) / 2 };

/* Bytes held, and bytes that one more event takes. */
static inline size_t iot_pending_bytes(const struct iot_pending *p)
{
	return p->used + p->count * IOT_KEY_COST;
}
size_t iot_pending_cost(const struct iot_event *ev);

bool iot_pending_add(struct iot_pending *p, const struct iot_event *ev); /* false: no memory */

/*
 * Puts all keys in order and returns, in *upto, the first one that does not start before `end`.
 * False: no memory.
 */
bool iot_pending_sort(struct iot_pending *p, int64_t end, size_t *upto);

/* True if some event held starts before `end`. */
bool iot_pending_before(const struct iot_pending *p, int64_t end);

/* Moves keys [head, upto) out, at most max; text stays until iot_pending_tidy or add. */
size_t iot_pending_take(struct iot_pending *p, size_t upto, struct iot_event *out, size_t max);

/*
 * Takes back the room of events that have left; with `all`, however little it is. Keys move down by
 * the old head where *moved is set. False: no memory.
 */
bool iot_pending_tidy(struct iot_pending *p, bool all, size_t *moved);

void iot_pending_free(struct iot_pending *p); /* holds nothing then, and can be used again */

#endif
