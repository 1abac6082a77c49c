/* SPDX-License-Identifier: BSD-2-Clause */
#include "producer.h"

#include <linux/futex.h>
#include <sys/mman.h>

#include "packets.h"
#include "raw.h"
#include "rings.h"

enum {
	POPULATE = 1 << 14, /* bytes of data that get memory at a time, at least */
	SPIN = 100,
	BELLS = 4, /* in each lap of the ring */
	WAIT_NS = 50000000,
};

/*
 * Records of signal handlers that interrupt a writer between its check and its reservation. If
 * there are more in pages without memory, these get it when they are written, unless none is left.
 */
#define MARGIN        ((uint64_t)RECORD_SIZE_MAX)
#define MEMORY_MARGIN (2 * (uint64_t)RECORD_TEXT_MAX + 256)

_Thread_local struct producer producer_self __attribute__((tls_model("initial-exec")));

/* The ring has a new thread: its number is the first record. */
static void record_thread(struct producer *p, uint32_t tid)
{
	struct record_thread *t = producer_reserve(p, sizeof *t);
	if (t == NULL)
		return;
	*t = (struct record_thread){
	    .head = {.size = sizeof *t, .kind = RECORD_THREAD}, .time = clock_now(), .tid = tid};
	producer_publish(p);
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
	const uint32_t tid = (uint32_t)raw_call(SYS_gettid, 0, 0, 0, 0, 0, 0);
	atomic_store(&r->tid, tid);
	atomic_fetch_add(&r->generation, 1);
	atomic_signal_fence(memory_order_seq_cst);
	p->ring = r;
	if (!recording.sends)
		record_thread(p, tid);
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
	rings_forget();
	p->ring = NULL;
	p->writing = 0;
}

/* Gives memory to more of the ring: each time a quarter of what has it. */
static bool populate(struct producer *p)
{
	const uint64_t left = p->mask + 1 - p->populated;
	const uint64_t quarter = p->populated / 4 & ~(uint64_t)(RECORD_PAGE - 1);
	uint64_t more = quarter > POPULATE ? quarter : POPULATE;
	if (more > left)
		more = left;
	if (more == 0 || !recording_populate(p->data + p->populated, more))
		return false;
	p->populated += more;
	return true;
}

/* Updates the limit. Returns true if a record of this size fits. */
static bool has_space(struct producer *p, uint64_t size)
{
	const uint64_t all = p->mask + 1, end = p->next + size;
	const uint64_t tail = atomic_load_explicit(&p->ring->tail, memory_order_acquire);
	const uint64_t full = tail + all - MARGIN;
	while (p->populated < all && end + MEMORY_MARGIN > p->populated)
		if (!populate(p))
			return false;
	const uint64_t memory = p->populated < all ? p->populated - MEMORY_MARGIN : UINT64_MAX;
	const uint64_t limit = full < memory ? full : memory, bell = all / BELLS;
	if (end > limit || end < tail)
		return false;
	if (end > tail + bell)
		recording_wake_collector();
	p->limit = limit > end + bell ? end + bell : limit;
	return true;
}

/* Returns false if the collector died, or the recording drops records. */
static bool wait_for_space(struct producer *p)
{
	struct record_ring *r = p->ring;
	const struct timespec time = {.tv_nsec = WAIT_NS};
	if (recording.control->full == RECORD_DROP || recording.control->closed ||
	    !recording_is_collected())
		return false;
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
	if (recording.sends)
		return packets_reserve(p, size);
	while (!has_space(p, size))
		if (p->populated < p->mask + 1 || !wait_for_space(p)) {
			p->limit = 0;
			return false;
		}
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
