/* SPDX-License-Identifier: BSD-2-Clause */
#include "producer.h"

#include <linux/futex.h>
#include <sys/mman.h>

#include "packets.h"
#include "raw.h"
#include "rings.h"

enum {
	POPULATE = 1 << 14, /* bytes of data that get memory at a time, at least */
	REUSED = 1 << 16,   /* bytes of data that are used again, at least */
	SPIN = 100,
	BELLS = 4, /* in each lap of the ring */
	WAIT_NS = 50000000,
	ABANDONED = 1000, /* records after which a dead collector is looked for again */
};

/*
 * Records of signal handlers that interrupt a writer between its check and its reservation. If
 * there are more in pages without memory, these get it when they are written, unless none is left.
 */
#define MARGIN        ((uint64_t)RECORD_SIZE_MAX)
#define MEMORY_MARGIN (2 * (uint64_t)RECORD_TEXT_MAX + 256)

_Thread_local struct producer producer_self __attribute__((tls_model("initial-exec")));

bool producer_state_user(struct producer *p, uint32_t id, enum record_thread_code code)
{
	struct record_thread *t = producer_reserve(p, sizeof *t);
	if (t == NULL)
		return false;
	*t = (struct record_thread){
	    .head = {.size = sizeof *t, .kind = RECORD_THREAD, .code = (uint8_t)code},
	    .time = clock_now(),
	    .tid = id};
	producer_publish(p);
	return true;
}

bool producer_attach(struct producer *p)
{
	uint64_t populated = 0;
	struct record_ring *r = rings_reuse(&populated);
	if (r == NULL) {
		r = recording_ring(&populated);
		if (r == NULL)
			return false;
		if (!rings_remember(r) && recording.sends) {
			recording_ring_unmap(r);
			return false;
		}
	}
	p->data = (char *)r + RECORD_PAGE;
	p->mask = r->size - 1;
	p->next = atomic_load(&r->head);
	p->populated = populated;
	p->limit = 0;
	p->writing = 0;
	p->joined = *recording.joined;
	const uint32_t tid = (uint32_t)raw_call(SYS_gettid, 0, 0, 0, 0, 0, 0);
	atomic_store(&r->tid, tid);
	atomic_fetch_add(&r->generation, 1);
	atomic_signal_fence(memory_order_seq_cst);
	p->ring = r;
	if (!recording.sends)
		(void)producer_state_user(p, tid, RECORD_THREAD_OF_PROCESS);
	return true;
}

void producer_detach(struct producer *p)
{
	struct record_ring *r = p->ring;
	if (r == NULL)
		return;
	p->ring = NULL;
	atomic_store(&r->in_flight, 0);
	if (!rings_release(r, p->populated))
		recording_ring_unmap(r);
}

void producer_forget(struct producer *p)
{
	p->ring = p->parked = NULL;
	p->vforked = 0;
	p->child = 0;
	p->executed = false;
	p->writing = 0;
	p->seeks = (struct producer_seeks){.count = 0};
	p->creating = 0;
}

/* Gives memory to more of the ring: each time a quarter of what has it. */
static bool populate(struct producer *p)
{
	const uint64_t from = p->populated, left = p->mask + 1 - from;
	const uint64_t quarter = from / 4 & ~(uint64_t)(RECORD_PAGE - 1);
	uint64_t more = quarter > POPULATE ? quarter : POPULATE;
	if (more > left)
		more = left;
	if (more == 0 || !recording_populate(p->data + from, more))
		return false;
	p->populated = from + more; /* a signal handler may have done the same */
	return true;
}

/* Where the data begins again, for the record at `next`. */
static uint64_t lap_of(const struct producer *p, uint64_t next)
{
	return next & ~p->mask;
}

/* Continues at the beginning of the data. Returns false if a signal handler has reserved more. */
static bool skip_rest(struct producer *p)
{
	const uint64_t next = p->next, to = lap_of(p, next) + p->mask + 1;
	if (!producer_replace(&p->next, next, to))
		return false;
	struct record_skip *s = (struct record_skip *)(p->data + (next & p->mask));
	*s = (struct record_skip){.head = {.size = sizeof *s, .kind = RECORD_SKIP},
				  .bytes = to - next};
	return true;
}

/*
 * Returns whether the collector has read so much of the data that nothing will wait at its
 * beginning: used memory is in caches, and memory that was never used costs a page fault.
 */
static bool is_read(const struct producer *p, uint64_t tail)
{
	return recording.control->full != RECORD_DROP &&
	       tail >= lap_of(p, p->next) + MARGIN + REUSED;
}

/*
 * Returns whether a record may wait until the memory before it has been read. What a writer that
 * this one interrupts has reserved cannot be read meanwhile.
 */
static bool may_reuse(const struct producer *p)
{
	return recording.control->full != RECORD_DROP && p->writing == 1 &&
	       p->next != lap_of(p, p->next);
}

enum space { SPACE, FULL, NO_MEMORY };

/* Finds memory for a record of this size: more of it, or that at the beginning of the data. */
static enum space memory_for(struct producer *p, uint64_t size, uint64_t tail)
{
	while (p->populated <= p->mask &&
	       p->next + size + MEMORY_MARGIN > lap_of(p, p->next) + p->populated) {
		if ((is_read(p, tail) && skip_rest(p)) || populate(p))
			continue;
		if (!may_reuse(p))
			return NO_MEMORY;
		if (tail < lap_of(p, p->next))
			return FULL;
		if (!skip_rest(p))
			return NO_MEMORY;
	}
	return SPACE;
}

/* Updates the limit. Returns whether a record of this size fits. */
static enum space space_for(struct producer *p, uint64_t size)
{
	const uint64_t all = p->mask + 1, bell = all / BELLS;
	const uint64_t tail = atomic_load_explicit(&p->ring->tail, memory_order_acquire);
	const enum space memory_found = memory_for(p, size, tail);
	if (memory_found != SPACE)
		return memory_found;
	const uint64_t next = p->next, end = next + size, full = tail + all - MARGIN;
	const uint64_t memory =
	    p->populated < all ? lap_of(p, next) + p->populated - MEMORY_MARGIN : UINT64_MAX;
	const uint64_t limit = full < memory ? full : memory;
	if (end > limit || end < tail)
		return FULL;
	if (end > tail + bell)
		recording_wake_collector();
	p->limit = limit > end + bell ? end + bell : limit;
	return SPACE;
}

/* After the end of the collector calls must not take longer than before. */
static bool is_abandoned(struct producer *p)
{
	if (p->abandoned == 0 && recording_is_collected())
		return false;
	p->abandoned = p->abandoned > 0 ? p->abandoned - 1 : ABANDONED;
	return true;
}

/* The program may have overwritten the head. That of interrupted writers is not known. */
static void restore_head(struct producer *p)
{
	if (p->writing == 1 && atomic_load(&p->ring->head) != p->next)
		atomic_store(&p->ring->head, p->next);
}

/* Returns false if the collector died or lacks the ring, or the recording drops records. */
static bool wait_for_space(struct producer *p)
{
	struct record_ring *r = p->ring;
	const struct timespec time = {.tv_nsec = WAIT_NS};
	if (recording.control->full == RECORD_DROP || recording.control->closed || is_abandoned(p))
		return false;
	if (!recording_has_ring(r)) {
		recording_count(RECORD_COUNTER_UNRECORDED, 1);
		return false;
	}
	restore_head(p);
	recording_wake_collector();
	const uint64_t tail = atomic_load(&r->tail);
	for (int i = 0; i < SPIN && atomic_load(&r->tail) == tail; i++)
		__builtin_ia32_pause();
	const uint32_t wake = atomic_load(&r->wake);
	atomic_store(&r->waiting, 1);
	if (atomic_load(&r->tail) == tail)
		raw_call(SYS_futex, (long)&r->wake, FUTEX_WAIT, wake, (long)&time, 0, 0);
	return true;
}

bool producer_reserve_slow(struct producer *p, uint64_t size)
{
	enum space space;
	if (recording.sends)
		return packets_reserve(p, size);
	while ((space = space_for(p, size)) != SPACE)
		if (space == NO_MEMORY || !wait_for_space(p)) {
			p->limit = 0;
			return false;
		}
	p->abandoned = 0;
	return true;
}

uint64_t producer_cpu_slow(struct producer *p, uint64_t now)
{
	p->cpu_read = now;
	if (recording.control->cpu == RECORD_CPU_NONE)
		return 0;
	return p->cpu = clock_ns(recording.control->per_thread ? CLOCK_THREAD_CPUTIME_ID
							       : CLOCK_PROCESS_CPUTIME_ID);
}
