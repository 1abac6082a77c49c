/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keys are sorted by a stable natural merge sort: runs that are there are found, short ones made
 * longer by insertion, and neighbours merged in the order of "powersort" (Munro and Wild, 2018). A
 * merge first cuts off what is in place already, so that input in order, or nearly so, costs little
 * more than looking at it once.
 */
#include "pending.h"

#include <stdlib.h>
#include <string.h>

enum {
	RUN_MIN = 32,    /* shorter runs are made longer by insertion */
	RUN_STACK = 72,  /* powers on the stack increase, and are at most 64 + 1 */
	ROOM_FIRST = 64, /* keys, and events' bytes in KiB / 4, to begin with */
	PREFETCH = 12,   /* keys ahead */
};

/* Behind the record of an event that is more than a record; its text follows. */
struct extra {
	uint32_t kind, has;
	uint64_t size;
};

/* In a key's tie: there is a struct extra. Its other low bits count units of 4 bytes, two at once. */
#define EXTENDED 1U
enum { UNIT = 4 }; /* bytes */
#define ARENA_MAX ((size_t)UINT32_MAX / 2 * UNIT)

static bool is_plain(const struct iot_event *ev)
{
	return ev->kind == IOT_RECORD && ev->has == 0 && ev->text.size == 0;
}

static size_t extended_size(size_t text)
{
	return sizeof(struct iot_record) + sizeof(struct extra) + (text + 7) / 8 * 8;
}

static size_t arena_size(const struct iot_event *ev)
{
	return is_plain(ev) ? sizeof(struct iot_record) : extended_size(ev->text.size);
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

static bool grow(void **block, size_t *room, size_t need, size_t first, size_t unit)
{
	if (need <= *room)
		return true;
	size_t more = *room > need / 2 ? *room * 2 : need;
	if (more < first)
		more = first;
	void *now = more > SIZE_MAX / 2 / unit ? NULL : realloc(*block, more * unit);
	if (now == NULL)
		return false;
	*block = now;
	*room = more;
	return true;
}

static bool grow_for(struct iot_pending *p, size_t bytes)
{
	void *key = p->key, *arena = p->arena;
	bool ok = grow(&key, &p->room, p->count + 1, ROOM_FIRST, sizeof(*p->key)) &&
		  grow(&arena, &p->arena_room, p->used + bytes, ROOM_FIRST * 256, 1);
	p->key = key;
	p->arena = arena;
	return ok;
}

bool iot_pending_add(struct iot_pending *p, const struct iot_event *ev)
{
	size_t bytes = arena_size(ev);
	if (bytes > ARENA_MAX - p->used)
		return false;
	if ((p->count == p->room || p->arena_room - p->used < bytes) && !grow_for(p, bytes))
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
	p->in_order = p->count == 0 || (p->in_order && !is_before(key, p->key[p->count - 1]));
	p->key[p->count++] = key;
	p->used += bytes;
	return true;
}

/* Sorting */

/* The first key of a[0 .. n) behind x, which is none of them; it is looked for from the end. */
static size_t first_after(const struct iot_key *a, size_t n, struct iot_key x)
{
	size_t step = 1, high = n;
	while (step <= n && is_before(x, a[n - step])) {
		high = n - step;
		step *= 2;
	}
	size_t low = step <= n ? n - step + 1 : 0;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (is_before(x, a[mid]))
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

/* The first key of a[0 .. n) not before x; it is looked for from the beginning. */
static size_t first_from(const struct iot_key *a, size_t n, struct iot_key x)
{
	size_t step = 1, low = 0;
	while (step <= n && is_before(a[step - 1], x)) {
		low = step;
		step *= 2;
	}
	size_t high = step <= n ? step - 1 : n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (is_before(a[mid], x))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The loops select by pointer, not by branch: which side comes next cannot be foretold. */
static void merge_forward(struct iot_key *a, size_t left, size_t right, struct iot_key *spare)
{
	memcpy(spare, a, left * sizeof(*a));
	const struct iot_key *l = spare, *l_end = spare + left, *r = a + left, *r_end = r + right;
	struct iot_key *out = a;
	while (l < l_end && r < r_end) {
		bool take_right = is_before(*r, *l);
		*out++ = take_right ? *r : *l;
		r += take_right;
		l += !take_right;
	}
	memcpy(out, l, (size_t)(l_end - l) * sizeof(*a));
}

static void merge_backward(struct iot_key *a, size_t left, size_t right, struct iot_key *spare)
{
	memcpy(spare, a + left, right * sizeof(*a));
	const struct iot_key *l = a + left, *r = spare + right;
	struct iot_key *out = a + left + right;
	while (l > a && r > spare) {
		bool take_left = is_before(r[-1], l[-1]);
		*--out = take_left ? l[-1] : r[-1];
		l -= take_left;
		r -= !take_left;
	}
	memcpy(a + (l - a), spare, (size_t)(r - spare) * sizeof(*a));
}

static bool merge(struct iot_pending *p, struct iot_key *a, size_t left, size_t right)
{
	size_t skip = first_after(a, left, a[left]);
	a += skip;
	left -= skip;
	if (left == 0)
		return true;
	right = first_from(a + left, right, a[left - 1]);
	void *spare = p->spare;
	bool ok = grow(&spare, &p->spare_room, left < right ? left : right, ROOM_FIRST, sizeof(*a));
	p->spare = spare;
	if (!ok)
		return false;
	if (left <= right)
		merge_forward(a, left, right, p->spare);
	else
		merge_backward(a, left, right, p->spare);
	return true;
}

static void reverse(struct iot_key *a, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		struct iot_key key = a[i];
		a[i] = a[n - 1 - i];
		a[n - 1 - i] = key;
	}
}

/* Sorts a[0 .. n), of which the first `done` are in order. */
static void insertion_sort(struct iot_key *a, size_t done, size_t n)
{
	for (size_t i = done; i < n; i++) {
		struct iot_key key = a[i];
		size_t at = i;
		for (; at > 0 && is_before(key, a[at - 1]); at--)
			a[at] = a[at - 1];
		a[at] = key;
	}
}

/* Length of the run at a, which is made ascending and RUN_MIN long where there is enough. */
static size_t next_run(struct iot_key *a, size_t n, size_t done)
{
	size_t len = done > 0 ? done : 1;
	while (len < n && is_before(a[len - 1], a[len]))
		len++;
	if (len == 1 && n > 1) {
		while (len < n && is_before(a[len], a[len - 1]))
			len++;
		reverse(a, len);
	}
	if (len >= RUN_MIN || len == n)
		return len;
	size_t longer = n < RUN_MIN ? n : RUN_MIN;
	insertion_sort(a, len, longer);
	return longer;
}

/* Depth, in a balanced tree over n keys, of the border between [at, mid) and [mid, end). */
static unsigned border_power(size_t n, size_t at, size_t mid, size_t end)
{
	uint64_t left = (uint64_t)at + mid, right = (uint64_t)mid + end; /* twice the middles */
	unsigned power = 1;
	for (; (left >= n) == (right >= n) && power < 64; power++) {
		uint64_t bit = left >= n ? n : 0;
		left = 2 * (left - bit);
		right = 2 * (right - bit);
	}
	return power;
}

struct run_stack {
	size_t at[RUN_STACK];
	unsigned power[RUN_STACK]; /* of the border behind */
	size_t depth;
};

static bool push_run(struct iot_pending *p, struct iot_key *a, struct run_stack *st, size_t n,
		     size_t *at, size_t mid, size_t end)
{
	unsigned power = mid < n ? border_power(n, *at, mid, end) : 0;
	while (st->depth > 0 && st->power[st->depth - 1] >= power) {
		size_t left = st->at[--st->depth];
		if (!merge(p, a + left, *at - left, mid - *at))
			return false;
		*at = left;
	}
	st->at[st->depth] = *at;
	st->power[st->depth++] = power;
	*at = mid;
	return true;
}

static bool sort_keys(struct iot_pending *p, struct iot_key *a, size_t n, size_t done)
{
	if (n < 2)
		return true;
	struct run_stack st = {.depth = 0};
	size_t at = 0, mid = next_run(a, n, done);
	while (mid < n) {
		size_t end = mid + next_run(a + mid, n - mid, 0);
		if (!push_run(p, a, &st, n, &at, mid, end))
			return false;
		mid = end;
	}
	return push_run(p, a, &st, n, &at, n, n);
}

bool iot_pending_sort(struct iot_pending *p)
{
	if (p->sorted < p->count &&
	    !sort_keys(p, p->key + p->head, p->count - p->head, p->sorted - p->head))
		return false;
	p->sorted = p->count;
	return true;
}

size_t iot_pending_upto(const struct iot_pending *p, int64_t end)
{
	return p->head + first_from(p->key + p->head, p->count - p->head, (struct iot_key){end, 0});
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

/* What is held moves to the other arena in its order, in which it stays by its places there. */
static bool move(struct iot_pending *p)
{
	size_t live = p->count - p->head, used = 0;
	void *other = p->other;
	bool ok = grow(&other, &p->other_room, p->used - p->dead, ROOM_FIRST, 1);
	p->other = other;
	if (!ok)
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
	p->head = p->dead = 0;
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
