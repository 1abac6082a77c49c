/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread sets `busy` before it loads `active`. The reader changes `active`, and then waits until
 * each thread has been seen without `busy`: from then on, all of them use the other buffer.
 *
 * The watermark of a buffer is computed before the change. A record that is appended after it
 * belongs to a request that was in flight then, or began later.
 */
#include "buffers.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/ring.h"
#include "lib/base/clock.h"

enum {
	CHUNK = 1 << 12,
	LIMIT_S = 10, /* a request holds the watermark back for this time at most */
};

bool buffers_init(struct buffer_pair *b, size_t size, bool drop, const struct clock_map *clock)
{
	*b = (struct buffer_pair){.size = size & ~(size_t)7, .drop = drop, .clock = clock};
	b->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (b->wake < 0)
		return false;
	for (int i = 0; i < 2; i++) {
		void *data =
		    mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (data == MAP_FAILED)
			return false;
		b->buffer[i].data = data;
	}
	errno = pthread_mutex_init(&b->mutex, NULL);
	if (errno == 0)
		errno = pthread_cond_init(&b->emptied, NULL);
	return errno == 0;
}

void buffers_free(struct buffer_pair *b)
{
	for (int i = 0; i < 2; i++)
		if (b->buffer[i].data != NULL)
			(void)munmap(b->buffer[i].data, b->size);
	if (b->wake >= 0)
		(void)close(b->wake);
}

void buffers_join(struct buffer_pair *b, struct appender *a)
{
	a->next = atomic_load(&b->appenders);
	while (!atomic_compare_exchange_weak(&b->appenders, &a->next, a))
		;
}

/* The mark is stored before the clock is read for the start: see record/ring.h. */
uint64_t buffers_begin(struct buffer_pair *b, struct appender *a)
{
	atomic_store(&a->in_flight, clock_map_now(b->clock));
	return clock_map_now(b->clock);
}

void buffers_end(struct appender *a)
{
	atomic_store_explicit(&a->in_flight, 0, memory_order_release);
}

/* Switching */

static uint64_t earlier(uint64_t mark, uint64_t watermark, uint64_t limit)
{
	return mark == 0 || mark >= watermark || watermark - mark > limit ? watermark : mark;
}

static uint64_t watermark_now(struct buffer_pair *b)
{
	const uint64_t now = clock_map_now(b->clock);
	const uint64_t limit = clock_map_units(b->clock, LIMIT_S * UINT64_C(1000000000));
	uint64_t watermark = now;
	for (struct appender *a = atomic_load(&b->appenders); a != NULL; a = a->next)
		watermark = earlier(atomic_load(&a->in_flight), watermark, limit);
	return earlier(atomic_load(&b->held), watermark, limit);
}

/* Called with the mutex. Returns false if the other buffer is full. */
static bool switch_buffers(struct buffer_pair *b)
{
	const uint32_t active = atomic_load(&b->active);
	const uint64_t one = 1;
	if (b->buffer[1 - active].full)
		return false;
	b->buffer[active].watermark = watermark_now(b);
	b->buffer[active].full = true;
	atomic_store(&b->active, 1 - active);
	atomic_fetch_add(&b->generation, 1);
	atomic_fetch_add(&b->swaps, 1);
	(void)!write(b->wake, &one, sizeof(one));
	return true;
}

void buffers_swap(struct buffer_pair *b)
{
	(void)pthread_mutex_lock(&b->mutex);
	if (atomic_load(&b->buffer[atomic_load(&b->active)].position) > 0)
		(void)switch_buffers(b);
	(void)pthread_mutex_unlock(&b->mutex);
}

/* Called with the mutex. */
static void wait_for_reader(struct buffer_pair *b)
{
	const uint64_t from = clock_monotonic_ns();
	atomic_fetch_add(&b->waits, 1);
	(void)pthread_cond_wait(&b->emptied, &b->mutex);
	atomic_fetch_add(&b->waited_ns, clock_monotonic_ns() - from);
}

/* The active buffer was full in this generation. Returns false if the record has to be dropped. */
static bool leave_full(struct buffer_pair *b, uint32_t generation)
{
	bool left = true;
	(void)pthread_mutex_lock(&b->mutex);
	while (atomic_load(&b->generation) == generation && !switch_buffers(b)) {
		if (b->drop) {
			left = false;
			break;
		}
		wait_for_reader(b);
	}
	(void)pthread_mutex_unlock(&b->mutex);
	return left;
}

/* Appending */

/*
 * Reserves a chunk of at least n bytes in the active buffer. Returns false if the buffer is full.
 */
static bool reserve(struct buffer_pair *b, struct appender *a, size_t n)
{
	const size_t size =
	    n + sizeof(struct buffer_chunk) <= CHUNK ? CHUNK : n + sizeof(struct buffer_chunk);
	struct buffer *active = &b->buffer[atomic_load(&b->active)];
	size_t at = atomic_load(&active->position);
	do
		if (at + size > b->size)
			return false;
	while (!atomic_compare_exchange_weak(&active->position, &at, at + size));
	a->chunk = (void *)(active->data + at);
	*a->chunk = (struct buffer_chunk){.size = (uint32_t)(size - sizeof(struct buffer_chunk))};
	return true;
}

static bool has_space(const struct appender *a, size_t n)
{
	return a->chunk != NULL && a->chunk->size - a->chunk->used >= n;
}

/* Returns false if the active buffer is full; its generation is stored. */
static bool try_append(struct buffer_pair *b, struct appender *a, struct buffered who,
		       const void *record, size_t size)
{
	const size_t n = sizeof(who) + size;
	atomic_store(&a->busy, 1);
	const uint32_t generation = atomic_load(&b->generation);
	if (a->generation != generation)
		a->chunk = NULL;
	a->generation = generation;
	const bool fits = has_space(a, n) || reserve(b, a, n);
	if (fits) {
		unsigned char *to = (unsigned char *)(a->chunk + 1) + a->chunk->used;
		memcpy(to, &who, sizeof(who));
		memcpy(to + sizeof(who), record, size);
		a->chunk->used += (uint32_t)n;
	}
	atomic_store_explicit(&a->busy, 0, memory_order_release);
	return fits;
}

bool buffers_append(struct buffer_pair *b, struct appender *a, struct buffered who,
		    const void *record, size_t size)
{
	while (!try_append(b, a, who, record, size))
		if (!leave_full(b, a->generation)) {
			atomic_fetch_add(&b->dropped, 1);
			return false;
		}
	return true;
}

/* Reading */

struct buffer *buffers_take(struct buffer_pair *b)
{
	struct buffer *full = NULL;
	(void)pthread_mutex_lock(&b->mutex);
	for (int i = 0; i < 2; i++)
		if (b->buffer[i].full)
			full = &b->buffer[i];
	(void)pthread_mutex_unlock(&b->mutex);
	for (struct appender *a = atomic_load(&b->appenders); full != NULL && a != NULL;
	     a = a->next)
		while (atomic_load(&a->busy) != 0)
			(void)sched_yield();
	return full;
}

void buffers_return(struct buffer_pair *b, struct buffer *full)
{
	(void)pthread_mutex_lock(&b->mutex);
	atomic_store(&full->position, 0);
	full->full = false;
	(void)pthread_cond_broadcast(&b->emptied);
	(void)pthread_mutex_unlock(&b->mutex);
}

const unsigned char *buffers_next(const struct buffer *full, size_t *at, size_t *used,
				  struct buffered *who, size_t *size)
{
	const size_t end = atomic_load_explicit(&full->position, memory_order_relaxed);
	struct record_head head;
	while (*at < end) {
		const struct buffer_chunk *c = (const void *)(full->data + *at);
		const unsigned char *record = (const unsigned char *)(c + 1) + *used;
		if (*used >= c->used) {
			*at += sizeof(*c) + c->size;
			*used = 0;
			continue;
		}
		memcpy(who, record, sizeof(*who));
		memcpy(&head, record + sizeof(*who), sizeof(head));
		*size = head.size;
		*used += sizeof(*who) + head.size;
		return record + sizeof(*who);
	}
	return NULL;
}
