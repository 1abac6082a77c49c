/* SPDX-License-Identifier: BSD-2-Clause */
#include "sort_buffer.h"

#include <stdlib.h>
#include <string.h>

#include "event_pack.h"
#include "lib/base/array.h"

enum { PREFETCH = 12 }; /* keys ahead */

/* Behind the record of an event that is more than a record; its text follows. */
struct extra {
	uint32_t kind, has;
	uint64_t size;
};

/* In a key's tie: there is a struct extra. Its other low bits count units of 4 bytes, two at once. */
#define EXTENDED 1U
enum { UNIT = 4 }; /* bytes */
#define ARENA_MAX ((size_t)UINT32_MAX / 2 * UNIT)

static size_t extended_size(size_t text)
{
	return sizeof(struct iot_record) + sizeof(struct extra) + (text + 7) / 8 * 8;
}

static size_t arena_size(const struct iot_event *ev)
{
	return iot_is_plain(ev) ? sizeof(struct iot_record) : extended_size(ev->text.size);
}

static char *stored(const struct iot_pending *p, struct iot_key key)
{
	return p->arena + (size_t)((uint32_t)key.tie & ~EXTENDED) * UNIT;
}

static size_t stored_size(const struct iot_pending *p, struct iot_key key)
{
	if ((key.tie & EXTENDED) == 0)
		return sizeof(struct iot_record);
	struct extra extra;
	memcpy(&extra, stored(p, key) + sizeof(struct iot_record), sizeof(extra));
	return extended_size(extra.size);
}

static bool is_before(struct iot_key a, struct iot_key b)
{
	return (a.start < b.start) | ((a.start == b.start) & (a.tie < b.tie));
}

/* What was added last; nothing is before what comes first. */
static struct iot_key newest(const struct iot_pending *p)
{
	return p->count > p->head ? p->key[p->count - 1] : (struct iot_key){INT64_MIN, 0};
}

static bool add(struct iot_pending *p, const struct iot_event *ev)
{
	size_t bytes = arena_size(ev);
	if (bytes > ARENA_MAX - p->used)
		return false;
	if (!iot_room(&p->key, &p->room, p->count + 1, sizeof(*p->key)) ||
	    !iot_room(&p->arena, &p->arena_room, p->used + bytes, 1))
		return false;
	uint64_t tie = p->used / UNIT;
	char *at = p->arena + p->used;
	memcpy(at, &ev->rec, sizeof(ev->rec));
	if (bytes != sizeof(ev->rec)) {
		struct extra extra = {ev->kind, ev->has, ev->text.size};
		memcpy(at + sizeof(ev->rec), &extra, sizeof(extra));
		if (ev->text.size > 0)
			memcpy(at + sizeof(ev->rec) + sizeof(extra), ev->text.data, ev->text.size);
		tie |= EXTENDED;
	}
	if (p->by_process)
		tie |= (uint64_t)ev->rec.process << 32;
	if (p->sorted == p->count || ev->rec.start_ns < p->lowest)
		p->lowest = ev->rec.start_ns;
	const struct iot_key key = {ev->rec.start_ns, tie};
	const bool falls = is_before(key, newest(p));
	p->falls += falls;
	p->in_order = p->count == 0 || (p->in_order && !falls);
	p->key[p->count++] = key;
	p->used += bytes;
	return true;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Plain records that can be added without making room, while less than `full` bytes are held. */
static size_t plain_room(const struct iot_pending *p, size_t full)
{
	const size_t size = sizeof(struct iot_record);
	const size_t each = size + size / 2 + 2 * sizeof(struct iot_key);
	const size_t held = iot_pending_bytes(p), arena = least(p->arena_room, ARENA_MAX);
	const size_t n = held < full ? (full - held + each - 1) / each : 0;
	return least(n, least(p->room - p->count, (arena - p->used) / size));
}

/* The same as add, for at most n plain records that there is room for; how many there were. */
static size_t add_plain(struct iot_pending *p, const struct iot_event *ev, size_t n)
{
	if (n == 0) /* there may be no arena yet */
		return 0;
	struct iot_key *to = p->key + p->count, last = newest(p);
	char *at = p->arena + p->used;
	int64_t lowest = p->sorted == p->count ? INT64_MAX : p->lowest;
	uint64_t place = p->used / UNIT;
	size_t i = 0, falls = 0;
	for (; i < n && iot_is_plain(&ev[i]); i++) {
		const struct iot_record *rec = &ev[i].rec;
		memcpy(at + i * sizeof(*rec), rec, sizeof(*rec));
		const uint64_t process = p->by_process ? rec->process : 0;
		const struct iot_key key = {rec->start_ns, process << 32 | place};
		place += sizeof(*rec) / UNIT;
		lowest = key.start < lowest ? key.start : lowest;
		falls += is_before(key, last);
		to[i] = last = key;
	}
	if (i == 0)
		return 0;
	p->lowest = lowest;
	p->in_order = (p->count == 0 || p->in_order) && falls == 0;
	p->falls += falls;
	p->count += i;
	p->used += i * sizeof(ev->rec);
	return i;
}

size_t iot_pending_add(struct iot_pending *p, const struct iot_event *ev, size_t n, size_t full)
{
	size_t i = 0;
	while (i < n && (i == 0 || iot_pending_bytes(p) < full)) {
		size_t plain = add_plain(p, ev + i, least(n - i, plain_room(p, full)));
		if (plain == 0 && !add(p, &ev[i]))
			break;
		i += plain > 0 ? plain : 1;
	}
	return i;
}

bool iot_pending_sort(struct iot_pending *p)
{
	const size_t n = p->count - p->head;
	if (p->sorted == p->count || p->falls == 0) {
		p->sorted = p->count;
		return true;
	}
	if (!iot_room(&p->spare, &p->spare_room, n, sizeof(*p->spare)))
		return false;
	iot_keysort(p->key + p->head, n, p->sorted - p->head, p->falls, !p->by_process, p->spare);
	p->sorted = p->count;
	p->falls = 0;
	return true;
}

size_t iot_pending_upto(const struct iot_pending *p, int64_t end)
{
	size_t low = p->head, high = p->count;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (p->key[mid].start < end)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool iot_pending_before(const struct iot_pending *p, int64_t end)
{
	return (p->sorted < p->count && p->lowest < end) ||
	       (p->head < p->sorted && p->key[p->head].start < end);
}

/* Leaving */

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

size_t iot_pending_take(struct iot_pending *p, size_t upto, struct iot_event *out, size_t max)
{
	size_t n = upto - p->head < max ? upto - p->head : max;
	if (n == 0)
		return 0;
	const struct iot_key *key = p->key + p->head;
	for (size_t i = 0; i < n; i++) {
		if (PREFETCH < n - i)
			__builtin_prefetch(stored(p, key[i + PREFETCH]));
		const char *at = stored(p, key[i]);
		memcpy(&out[i].rec, at, sizeof(out[i].rec));
		out[i].kind = IOT_RECORD;
		out[i].has = 0;
		out[i].text = (struct iot_text){NULL, 0};
		p->dead += (key[i].tie & EXTENDED) == 0 ? sizeof(struct iot_record)
							: show_extended(at, &out[i]);
	}
	p->head += n;
	return n;
}

size_t iot_pending_take_records(struct iot_pending *p, size_t upto, const struct iot_record **out,
				size_t max)
{
	const size_t n = least(upto - p->head, max);
	const struct iot_key *key = p->key + p->head;
	size_t i = 0;
	for (; i < n && (key[i].tie & EXTENDED) == 0; i++) {
		out[i] = (const struct iot_record *)(const void *)stored(p, key[i]);
		__builtin_prefetch(out[i]);
	}
	p->dead += i * sizeof(struct iot_record);
	p->head += i;
	return i;
}

/* What is held moves to the other arena in its order, in which it stays by its places there. */
static bool move(struct iot_pending *p)
{
	size_t live = p->count - p->head, used = 0;
	if (!iot_room(&p->other, &p->other_room, p->used - p->dead, 1))
		return false;
	for (size_t i = 0; i < live; i++) {
		struct iot_key key = p->key[p->head + i];
		size_t size = stored_size(p, key);
		memcpy(p->other + used, stored(p, key), size);
		key.tie = (key.tie & ~(uint64_t)UINT32_MAX) | used / UNIT | (key.tie & EXTENDED);
		p->key[i] = key;
		used += size;
	}
	char *arena = p->arena;
	size_t room = p->arena_room;
	p->arena = p->other;
	p->arena_room = p->other_room;
	p->other = arena;
	p->other_room = room;
	p->used = used;
	p->count = live;
	return true;
}

bool iot_pending_tidy(struct iot_pending *p)
{
	size_t live = p->count - p->head, live_bytes = p->used - p->dead;
	if (p->head == 0 || (live > 0 && (p->head < live || p->dead < live_bytes)))
		return true;
	if (live == 0)
		p->used = p->count = 0;
	else if (!iot_pending_sort(p) || !move(p))
		return false;
	p->sorted = p->count;
	p->head = p->dead = p->falls = 0;
	p->in_order = true;
	return true;
}

void iot_pending_free(struct iot_pending *p)
{
	free(p->key);
	free(p->spare);
	free(p->arena);
	free(p->other);
	*p = (struct iot_pending){.by_process = p->by_process};
}
