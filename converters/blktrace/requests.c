/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Outstanding requests, found by device and first sector. A merge joins adjacent requests, so an
 * issue or a completion of sectors [s, e) concerns the request at s, the one at its end, and so on
 * up to e: merges need no state of their own. If less of a request completes, the rest of it is
 * found at its next sector.
 */
#include "blktrace.h"

#include <stdlib.h>

/* Flushes have no sector; they are keyed by one that no device has. */
#define SECTOR_MASK  ((UINT64_C(1) << BLKTRACE_SECTOR_BITS) - 1)
#define FLUSH_SECTOR SECTOR_MASK

#define FREE INT64_MIN /* since_ns of unused elements */

static uint64_t key_of(size_t device, uint64_t sector)
{
	return (uint64_t)device << BLKTRACE_SECTOR_BITS | (sector & SECTOR_MASK);
}

static struct blktrace_request *request_of(const struct blktrace_requests *q, uint32_t link)
{
	return &q->request[link - 1];
}

/* Age: a list of all requests in order of since_ns */

static void age_remove(struct blktrace_requests *q, uint32_t link)
{
	const struct blktrace_request *r = request_of(q, link);
	*(r->older != 0 ? &request_of(q, r->older)->newer : &q->oldest) = r->newer;
	*(r->newer != 0 ? &request_of(q, r->newer)->older : &q->newest) = r->older;
}

static void age_append(struct blktrace_requests *q, uint32_t link)
{
	struct blktrace_request *r = request_of(q, link);
	r->older = q->newest;
	r->newer = 0;
	*(q->newest != 0 ? &request_of(q, q->newest)->newer : &q->oldest) = link;
	q->newest = link;
}

static void age_insert_after(struct blktrace_requests *q, uint32_t link, uint32_t before)
{
	struct blktrace_request *r = request_of(q, link), *b = request_of(q, before);
	r->older = before;
	r->newer = b->newer;
	*(b->newer != 0 ? &request_of(q, b->newer)->older : &q->newest) = link;
	b->newer = link;
}

/* Requests at one sector, the oldest first */

static bool same_append(struct blktrace *b, uint64_t key, uint32_t link)
{
	struct blktrace_requests *q = &b->requests;
	const size_t i = idmap_number(&q->keys, key);
	if (!array_reserve_index(&q->same, &q->same_capacity, i, sizeof *q->same))
		return blktrace_no_memory(b);
	struct blktrace_same *s = &q->same[i];
	request_of(q, link)->same = 0;
	*(s->last != 0 ? &request_of(q, s->last)->same : &s->first) = link;
	s->last = link;
	s->count++;
	return true;
}

static void same_remove(struct blktrace_requests *q, uint64_t key, uint32_t link)
{
	struct blktrace_same *s = &q->same[idmap_find(&q->keys, key)];
	uint32_t before = 0, at = s->first;
	for (; at != link; at = request_of(q, at)->same)
		before = at;
	const uint32_t after = request_of(q, link)->same;
	*(before != 0 ? &request_of(q, before)->same : &s->first) = after;
	if (s->last == link)
		s->last = before;
	s->count--;
	if (s->first == 0) {
		*s = (struct blktrace_same){0};
		(void)idmap_remove(&q->keys, key);
	}
}

/* Returns the oldest request at a sector that is issued, or is not; else the oldest one or 0. */
static uint32_t find(const struct blktrace_requests *q, uint64_t key, bool issued)
{
	const size_t i = idmap_find(&q->keys, key);
	if (i == SIZE_MAX)
		return 0;
	for (uint32_t at = q->same[i].first; at != 0; at = request_of(q, at)->same)
		if (request_of(q, at)->issued == issued)
			return at;
	return q->same[i].first;
}

static uint64_t current_key(const struct blktrace *b, const struct blktrace_request *r)
{
	const size_t device = idmap_find(&b->device_numbers, r->device);
	return key_of(device, r->end > r->first ? r->next : FLUSH_SECTOR);
}

static void forget(struct blktrace *b, uint32_t link, uint64_t key)
{
	struct blktrace_requests *q = &b->requests;
	same_remove(q, key, link);
	age_remove(q, link);
	request_of(q, link)->since_ns = FREE;
	request_of(q, link)->same = q->free;
	q->free = link;
}

/* Emits a request whose completion is not known, unless it was never issued. */
static bool give_up(struct blktrace *b, uint32_t link)
{
	const struct blktrace_request r = *request_of(&b->requests, link);
	forget(b, link, current_key(b, &r));
	if (!r.issued && !b->by_queue) {
		b->dropped++;
		return true;
	}
	b->unfinished++;
	return blktrace_emit_request(b, &r, -1);
}

static bool make_capacity(struct blktrace *b, uint64_t key)
{
	struct blktrace_requests *q = &b->requests;
	const size_t i = idmap_find(&q->keys, key);
	if (i != SIZE_MAX && q->same[i].count >= BLKTRACE_SAME_MAX && !give_up(b, q->same[i].first))
		return false;
	if (q->free != 0 || q->count < BLKTRACE_REQUESTS_MAX)
		return q->free != 0 ||
		       array_reserve(&q->request, &q->capacity, q->count + 1, sizeof *q->request) ||
		       blktrace_no_memory(b);
	return give_up(b, q->oldest);
}

static uint32_t add(struct blktrace *b, const struct blktrace_request *r)
{
	struct blktrace_requests *q = &b->requests;
	const uint64_t key = current_key(b, r);
	if (!make_capacity(b, key))
		return 0;
	const uint32_t link = q->free != 0 ? q->free : (uint32_t)++q->count;
	if (link == q->free)
		q->free = request_of(q, link)->same;
	*request_of(q, link) = *r;
	if (!same_append(b, key, link))
		return 0;
	age_append(q, link);
	return link;
}

static struct blktrace_request request_from(const struct blktrace_action_record *r)
{
	const uint64_t blocks = (r->bytes + BLKTRACE_SECTOR - 1) / BLKTRACE_SECTOR;
	return (struct blktrace_request){
	    .first = r->sector,
	    .next = r->sector,
	    .end = r->sector + blocks,
	    .since_ns = r->time_ns,
	    .pid = r->pid,
	    .device = r->device,
	    .categories = r->categories,
	};
}

/* Moves a request to the sector from which it is outstanding. */
static bool move(struct blktrace *b, uint32_t link, size_t device, uint64_t next)
{
	struct blktrace_requests *q = &b->requests;
	struct blktrace_request *r = request_of(q, link);
	same_remove(q, key_of(device, r->next), link);
	r->next = next;
	return same_append(b, key_of(device, next), link);
}

bool blktrace_request_queue(struct blktrace *b, const struct blktrace_action_record *r)
{
	const struct blktrace_request made = request_from(r);
	return add(b, &made) != 0;
}

/* Both parts of a request that is split are requests. */
bool blktrace_request_split(struct blktrace *b, const struct blktrace_action_record *r,
			    size_t device)
{
	const uint32_t link = find(&b->requests, key_of(device, r->sector), false);
	if (link == 0)
		return true;
	struct blktrace_request *first = request_of(&b->requests, link);
	if (r->other <= first->next || r->other >= first->end)
		return true;
	struct blktrace_request second = *first;
	first->end = second.first = second.next = r->other;
	const uint32_t added = add(b, &second);
	if (added != 0 && added != link && request_of(&b->requests, link)->since_ns != FREE) {
		age_remove(&b->requests, added);
		age_insert_after(&b->requests, added, link);
	}
	return added != 0;
}

/* Removes the queued requests that an issued one consists of; it gets the first one's process. */
static bool take_queued(struct blktrace *b, struct blktrace_request *made, size_t device)
{
	struct blktrace_requests *q = &b->requests;
	for (uint64_t at = made->first; at < made->end;) {
		const uint32_t link = find(q, key_of(device, at), false);
		if (link == 0 || request_of(q, link)->issued)
			return true;
		const struct blktrace_request *r = request_of(q, link);
		if (at == made->first)
			made->pid = r->pid;
		if (r->end > made->end)
			return move(b, link, device, made->end);
		at = r->end;
		forget(b, link, key_of(device, r->next));
	}
	return true;
}

/* Issues a request again after it was returned to the queue. */
static void issue_again(struct blktrace *b, uint32_t link, int64_t time_ns)
{
	struct blktrace_requests *q = &b->requests;
	age_remove(q, link);
	request_of(q, link)->since_ns = time_ns;
	request_of(q, link)->issued = true;
	age_append(q, link);
}

bool blktrace_request_issue(struct blktrace *b, const struct blktrace_action_record *r,
			    size_t device)
{
	struct blktrace_request made = request_from(r);
	const bool flush = r->bytes == 0;
	const uint32_t link =
	    find(&b->requests, key_of(device, flush ? FLUSH_SECTOR : r->sector), false);
	const struct blktrace_request *queued = link != 0 ? request_of(&b->requests, link) : NULL;
	if (queued != NULL && !queued->issued && queued->next == made.first &&
	    (flush || queued->end == made.end)) {
		issue_again(b, link, r->time_ns);
		return true;
	}
	made.issued = true;
	if (flush && queued != NULL && !queued->issued) {
		made.pid = queued->pid;
		forget(b, link, key_of(device, FLUSH_SECTOR));
	}
	return take_queued(b, &made, device) && add(b, &made) != 0;
}

void blktrace_request_requeue(struct blktrace *b, const struct blktrace_action_record *r,
			      size_t device)
{
	const uint64_t sector = r->bytes == 0 ? FLUSH_SECTOR : r->sector;
	const uint32_t link = find(&b->requests, key_of(device, sector), true);
	if (link != 0)
		request_of(&b->requests, link)->issued = false;
}

/* The last part of a request has completed. */
static bool finish(struct blktrace *b, uint32_t link, uint64_t key, int64_t end_ns)
{
	const struct blktrace_request r = *request_of(&b->requests, link);
	forget(b, link, key);
	b->unissued += !r.issued && !b->by_queue;
	return blktrace_emit_request(b, &r, end_ns);
}

static bool complete_flush(struct blktrace *b, const struct blktrace_action_record *r,
			   size_t device)
{
	const uint64_t sector = r->error != 0 ? r->sector : FLUSH_SECTOR;
	uint64_t key = key_of(device, sector);
	uint32_t link = find(&b->requests, key, true);
	if (link == 0)
		link = find(&b->requests, key = key_of(device, FLUSH_SECTOR), true);
	if (link == 0) {
		b->unmatched++;
		return true;
	}
	request_of(&b->requests, link)->error = r->error;
	return finish(b, link, key, r->time_ns);
}

bool blktrace_request_complete(struct blktrace *b, const struct blktrace_action_record *r,
			       size_t device)
{
	struct blktrace_requests *q = &b->requests;
	const uint64_t end = r->sector + (r->bytes + BLKTRACE_SECTOR - 1) / BLKTRACE_SECTOR;
	if (r->bytes == 0)
		return complete_flush(b, r, device);
	for (uint64_t at = r->sector; at < end;) {
		const uint64_t key = key_of(device, at);
		const uint32_t link = find(q, key, true);
		if (link == 0) {
			b->unmatched++;
			return true;
		}
		struct blktrace_request *found = request_of(q, link);
		found->error = found->error != 0 ? found->error : r->error;
		if (found->end > end)
			return move(b, link, device, end);
		at = found->end;
		if (!finish(b, link, key, r->time_ns))
			return false;
	}
	return true;
}

bool blktrace_request_fits(const struct blktrace_action_record *r)
{
	return r->bytes == 0 || (r->sector < FLUSH_SECTOR &&
				 r->bytes < (FLUSH_SECTOR - r->sector - 1) * BLKTRACE_SECTOR);
}

bool blktrace_requests_end(struct blktrace *b)
{
	while (b->requests.oldest != 0)
		if (!give_up(b, b->requests.oldest))
			return false;
	return true;
}

int64_t blktrace_requests_oldest(const struct blktrace *b, int64_t now_ns)
{
	const struct blktrace_requests *q = &b->requests;
	return q->oldest != 0 && request_of(q, q->oldest)->since_ns < now_ns
		   ? request_of(q, q->oldest)->since_ns
		   : now_ns;
}

void blktrace_requests_free(struct blktrace_requests *q)
{
	idmap_free(&q->keys);
	free(q->same);
	free(q->request);
}
