/* SPDX-License-Identifier: BSD-2-Clause */
#include "sort_buffer.h"

#include <stdlib.h>
#include <string.h>

#include "event_pack.h"
#include "lib/base/array.h"

enum { PREFETCH = 12 }; /* prefetch distance in keys */

/* Follows the record of an event that is not a plain record; the text comes next. */
struct extra {
	uint32_t kind, has;
	uint64_t size;
};

/* The arena stores the tag of a record instead of the reserved bytes at its end. */
struct stored_record {
	unsigned char fields[offsetof(struct iot_record, spare)];
	uint32_t tag;
};
_Static_assert(sizeof(struct stored_record) == sizeof(struct iot_record), "one cache line");

/*
 * Bit of a key's tiebreak: a struct extra exists. The other low bits count units of 4 bytes, always
 * an even number.
 */
#define EXTENDED 1U
enum { UNIT = 4 }; /* bytes */
#define ARENA_MAX ((size_t)UINT32_MAX / 2 * UNIT)

static size_t extended_size(size_t text)
{
	return sizeof(struct iot_record) + sizeof(struct extra) + (text + 7) / 8 * 8;
}

static size_t arena_size(const struct iot_event *ev)
{
	return is_record_only(ev) ? sizeof(struct iot_record) : extended_size(ev->text.size);
}

static char *stored(const struct sort_buffer *b, struct sort_key key)
{
	return b->arena + (size_t)((uint32_t)key.tie & ~EXTENDED) * UNIT;
}

static size_t stored_size(const struct sort_buffer *b, struct sort_key key)
{
	if ((key.tie & EXTENDED) == 0)
		return sizeof(struct iot_record);
	struct extra extra;
	memcpy(&extra, stored(b, key) + sizeof(struct iot_record), sizeof(extra));
	return extended_size(extra.size);
}

static bool is_before(struct sort_key a, struct sort_key b)
{
	return (a.start < b.start) | ((a.start == b.start) & (a.tie < b.tie));
}

/* Returns the key added last, or a minimal key if the buffer is empty. */
static struct sort_key newest(const struct sort_buffer *b)
{
	return b->count > b->head ? b->key[b->count - 1] : (struct sort_key){INT64_MIN, 0};
}

static void store_record(char *at, const struct iot_record *rec, uint32_t tag)
{
	memcpy(at, rec, offsetof(struct stored_record, tag));
	memcpy(at + offsetof(struct stored_record, tag), &tag, sizeof(tag));
}

/* Returns the tag. */
static uint32_t load_record(const char *at, struct iot_record *rec)
{
	uint32_t tag;
	memcpy(rec, at, offsetof(struct stored_record, tag));
	memcpy(&tag, at + offsetof(struct stored_record, tag), sizeof(tag));
	rec->spare = 0;
	return tag;
}

static bool add(struct sort_buffer *b, const struct iot_event *ev, uint32_t tag)
{
	size_t bytes = arena_size(ev);
	if (bytes > ARENA_MAX - b->used)
		return false;
	if (!array_reserve(&b->key, &b->capacity, b->count + 1, sizeof(*b->key)) ||
	    !array_reserve(&b->arena, &b->arena_capacity, b->used + bytes, 1))
		return false;
	uint64_t tie = b->used / UNIT;
	char *at = b->arena + b->used;
	store_record(at, &ev->rec, tag);
	if (bytes != sizeof(ev->rec)) {
		struct extra extra = {ev->kind, ev->has, ev->text.size};
		memcpy(at + sizeof(ev->rec), &extra, sizeof(extra));
		if (ev->text.size > 0)
			memcpy(at + sizeof(ev->rec) + sizeof(extra), ev->text.data, ev->text.size);
		tie |= EXTENDED;
	}
	if (b->by_process)
		tie |= (uint64_t)ev->rec.process << 32;
	if (b->sorted == b->count || ev->rec.start_ns < b->lowest)
		b->lowest = ev->rec.start_ns;
	const struct sort_key key = {ev->rec.start_ns, tie};
	const bool descends = is_before(key, newest(b));
	b->descends |= descends;
	b->in_order = b->count == 0 || (b->in_order && !descends);
	b->key[b->count++] = key;
	b->used += bytes;
	return true;
}

static size_t min(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * Returns the number of plain records that can be added without reallocation while fewer than
 * `full` bytes are in use.
 */
static size_t plain_capacity(const struct sort_buffer *b, size_t full)
{
	const size_t size = sizeof(struct iot_record);
	const size_t each = size + size / 2 + 2 * sizeof(struct sort_key);
	const size_t held = sort_buffer_bytes(b), arena = min(b->arena_capacity, ARENA_MAX);
	const size_t n = held < full ? (full - held + each - 1) / each : 0;
	return min(n, min(b->capacity - b->count, (arena - b->used) / size));
}

/* As add, for up to n plain records for which capacity is reserved; returns the number added. */
static size_t add_plain(struct sort_buffer *b, const struct iot_event *ev, const uint32_t *tag,
			size_t n)
{
	if (n == 0) /* the arena may not exist yet */
		return 0;
	struct sort_key *to = b->key + b->count, last = newest(b);
	char *at = b->arena + b->used;
	int64_t lowest = b->sorted == b->count ? INT64_MAX : b->lowest;
	uint64_t place = b->used / UNIT;
	size_t i = 0;
	bool descends = false;
	for (; i < n && is_record_only(&ev[i]); i++) {
		const struct iot_record *rec = &ev[i].rec;
		store_record(at + i * sizeof(*rec), rec, tag != NULL ? tag[i] : 0);
		const uint64_t process = b->by_process ? rec->process : 0;
		const struct sort_key key = {rec->start_ns, process << 32 | place};
		place += sizeof(*rec) / UNIT;
		lowest = key.start < lowest ? key.start : lowest;
		descends |= is_before(key, last);
		to[i] = last = key;
	}
	if (i == 0)
		return 0;
	b->lowest = lowest;
	b->in_order = (b->count == 0 || b->in_order) && !descends;
	b->descends |= descends;
	b->count += i;
	b->used += i * sizeof(ev->rec);
	return i;
}

size_t sort_buffer_add(struct sort_buffer *b, const struct iot_event *ev, const uint32_t *tag,
		       size_t n, size_t full)
{
	size_t i = 0;
	while (i < n && (i == 0 || sort_buffer_bytes(b) < full)) {
		const uint32_t *tags = tag != NULL ? tag + i : NULL;
		size_t plain = add_plain(b, ev + i, tags, min(n - i, plain_capacity(b, full)));
		if (plain == 0 && !add(b, &ev[i], tag != NULL ? tag[i] : 0))
			break;
		i += plain > 0 ? plain : 1;
	}
	return i;
}

bool sort_buffer_sort(struct sort_buffer *b)
{
	const size_t n = b->count - b->head;
	if (b->sorted == b->count || !b->descends) {
		b->sorted = b->count;
		return true;
	}
	if (!array_reserve(&b->spare, &b->spare_capacity, n, sizeof(*b->spare)))
		return false;
	keysort(b->key + b->head, n, b->sorted - b->head, b->spare);
	b->sorted = b->count;
	b->descends = false;
	return true;
}

size_t sort_buffer_lower_bound(const struct sort_buffer *b, int64_t end)
{
	size_t low = b->head, high = b->count;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (b->key[mid].start < end)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool sort_buffer_has_before(const struct sort_buffer *b, int64_t end)
{
	return (b->sorted < b->count && b->lowest < end) ||
	       (b->head < b->sorted && b->key[b->head].start < end);
}

/* Removal */

static size_t show_extended(const char *at, struct iot_event *out)
{
	struct extra extra;
	memcpy(&extra, at + sizeof(struct iot_record), sizeof(extra));
	out->kind = extra.kind;
	out->has = extra.has;
	out->text.size = extra.size;
	out->text.data = at + sizeof(struct iot_record) + sizeof(extra);
	return extended_size(extra.size);
}

size_t sort_buffer_pop(struct sort_buffer *b, size_t end, struct iot_event *out, uint32_t *tag,
		       size_t max)
{
	size_t n = end - b->head < max ? end - b->head : max;
	if (n == 0)
		return 0;
	const struct sort_key *key = b->key + b->head;
	for (size_t i = 0; i < n; i++) {
		if (PREFETCH < n - i)
			__builtin_prefetch(stored(b, key[i + PREFETCH]));
		const char *at = stored(b, key[i]);
		const uint32_t loaded = load_record(at, &out[i].rec);
		out[i].kind = IOT_RECORD;
		out[i].has = 0;
		out[i].text = (struct iot_text){NULL, 0};
		if (tag != NULL)
			tag[i] = loaded;
		b->reclaimable += (key[i].tie & EXTENDED) == 0 ? sizeof(struct iot_record)
							       : show_extended(at, &out[i]);
	}
	b->head += n;
	return n;
}

/*
 * Moves the remaining events to the other arena in order of their keys, so that their positions
 * there keep that order.
 */
static bool move(struct sort_buffer *b)
{
	size_t live = b->count - b->head, used = 0;
	if (!array_reserve(&b->other, &b->other_capacity, b->used - b->reclaimable, 1))
		return false;
	for (size_t i = 0; i < live; i++) {
		struct sort_key key = b->key[b->head + i];
		size_t size = stored_size(b, key);
		memcpy(b->other + used, stored(b, key), size);
		key.tie = (key.tie & ~(uint64_t)UINT32_MAX) | used / UNIT | (key.tie & EXTENDED);
		b->key[i] = key;
		used += size;
	}
	char *arena = b->arena;
	size_t capacity = b->arena_capacity;
	b->arena = b->other;
	b->arena_capacity = b->other_capacity;
	b->other = arena;
	b->other_capacity = capacity;
	b->used = used;
	b->count = live;
	return true;
}

bool sort_buffer_compact(struct sort_buffer *b)
{
	size_t live = b->count - b->head, live_bytes = b->used - b->reclaimable;
	if (b->head == 0 || (live > 0 && (b->head < live || b->reclaimable < live_bytes)))
		return true;
	if (live == 0)
		b->used = b->count = 0;
	else if (!sort_buffer_sort(b) || !move(b))
		return false;
	b->sorted = b->count;
	b->head = b->reclaimable = 0;
	b->descends = false;
	b->in_order = true;
	return true;
}

void sort_buffer_free(struct sort_buffer *b)
{
	free(b->key);
	free(b->spare);
	free(b->arena);
	free(b->other);
	*b = (struct sort_buffer){.by_process = b->by_process};
}
