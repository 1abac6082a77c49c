/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ring of a thread. A signal handler may interrupt any of these functions and record calls of
 * its own: a record is reserved with one instruction, and the outermost writer publishes all.
 */
#ifndef RECORD_PRODUCER_H
#define RECORD_PRODUCER_H

#include "clock.h"

/* The state of a thread. The first cache line has the members that each call needs. */
struct producer {
	/* NULL: the next call has to attach one, or does not record */
	_Alignas(RECORD_LINE) struct record_ring *ring;
	char *data;
	uint64_t mask;
	uint64_t next;          /* where the next record begins */
	uint64_t limit;         /* records that end after it need producer_reserve_slow() */
	uint64_t cpu, cpu_read; /* the CPU time, and the time of that reading */
	uint32_t writing;       /* nested writers */
	bool busy;              /* inside the library: calls are its own */
	uint8_t vforked;        /* nested calls of vfork whose children have not ended */
	uint16_t joined;        /* recording.joined when it got the ring */

	uint64_t populated;         /* bytes of data that have memory */
	struct record_ring *parked; /* the ring, from vfork until it states this thread again */
	uint32_t child;             /* the child of vfork that uses the ring; 0: none */
	bool executed;              /* and has called exec */
	unsigned abandoned;         /* records to drop before it looks for a collector again */

	/* lseek calls on one description that no record has yet */
	struct producer_seeks {
		uint32_t description, count;
		uint64_t time; /* the sum of their durations */
	} seeks;
	/*
	 * calls of stubs that create processes and have not returned, one for each signal handler
	 */
	uint8_t creating, created[7];
};

extern _Thread_local struct producer producer_self __attribute__((tls_model("initial-exec")));

/* Returns the process whose calls are recorded: this one, or the child of vfork in its memory. */
static inline uint32_t producer_pid(void)
{
	return producer_self.child != 0 ? producer_self.child : recording.pid;
}

/* Gives the thread a ring. Returns false if none is available. */
bool producer_attach(struct producer *p);
/*
 * States who makes the calls of the records that follow: a thread of the process, or a child of
 * vfork. Returns false if the record is dropped.
 */
bool producer_state_user(struct producer *p, uint32_t id, enum record_thread_code code);
/* The thread has ended. */
void producer_detach(struct producer *p);
/* In a child of fork: forgets the ring of the parent. */
void producer_forget(struct producer *p);
/* Waits for space. Returns false if the record is dropped, which the caller counts. */
bool producer_reserve_slow(struct producer *p, uint64_t size);
/* Returns the CPU time of the process. */
uint64_t producer_cpu_slow(struct producer *p, uint64_t now);

static inline uint64_t producer_add(uint64_t *to, uint64_t n)
{
	__asm__ volatile("xaddq %0, %1" : "+r"(n), "+m"(*to) : : "memory", "cc");
	return n;
}

/* Stores `value` if *to is still `old`. Returns whether it was. */
static inline bool producer_replace(uint64_t *to, uint64_t old, uint64_t value)
{
	bool same;
	__asm__ volatile("cmpxchgq %3, %1"
			 : "=@cce"(same), "+m"(*to), "+a"(old)
			 : "r"(value)
			 : "memory");
	return same;
}

/* Reserves a record of `size` bytes. Returns NULL if it is dropped, which the caller counts. */
static inline void *producer_reserve(struct producer *p, uint64_t size)
{
	p->writing++;
	atomic_signal_fence(memory_order_seq_cst);
	if (__builtin_expect(p->next + size > p->limit, 0) && !producer_reserve_slow(p, size)) {
		p->writing--;
		return NULL;
	}
	return p->data + (producer_add(&p->next, size) & p->mask);
}

/* Publishes all records, unless an interrupted writer is going to. */
static inline void producer_publish(struct producer *p)
{
	volatile uint64_t *next = &p->next;
	volatile uint32_t *writing = &p->writing;
	if (*writing > 1) {
		--*writing;
		return;
	}
	for (;;) {
		const uint64_t n = *next;
		atomic_store_explicit(&p->ring->head, n, memory_order_release);
		*writing = 0;
		atomic_signal_fence(memory_order_seq_cst);
		if (*next == n)
			return;
		*writing = 1; /* a handler recorded calls after the load of `next` */
	}
}

/* Cuts the record that was reserved last from `size` to `used` bytes, both multiples of 8. */
static inline void producer_trim(struct producer *p, struct record_head *record, uint64_t size,
				 uint64_t used)
{
	const uint64_t end = (uint64_t)((char *)record - p->data);
	const uint64_t next = p->next;
	record->size = (uint16_t)size;
	if (((next - size) & p->mask) == end &&
	    producer_replace(&p->next, next, next - size + used))
		record->size = (uint16_t)used;
}

/* The mark of a call that starts at this time or later; see record_ring. */
static inline uint64_t producer_mark(uint64_t time, bool is_operation)
{
	return is_operation ? (time - 1) | 1 : time & ~UINT64_C(1);
}

/* Returns whether this is the mark of a transfer. */
static inline bool producer_has_transfer(uint64_t mark)
{
	return mark != 0 && (mark & 1) == 0;
}

/*
 * A call begins. Returns its start, and in `*outer` what producer_end() needs: the mark of a call
 * that a signal handler has interrupted, which this one replaces if it marks an operation.
 */
static inline uint64_t producer_begin(struct producer *p, uint64_t *outer, bool is_operation)
{
	*outer = atomic_load_explicit(&p->ring->in_flight, memory_order_relaxed);
	const bool marks = *outer == 0 || (*outer & 1) != 0;
	if (marks)
		atomic_store_explicit(&p->ring->in_flight,
				      producer_mark(p->cpu_read | 2, is_operation),
				      memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	const uint64_t start = clock_now();
	if (marks)
		atomic_store_explicit(&p->ring->in_flight, producer_mark(start, is_operation),
				      memory_order_relaxed);
	return start;
}

/* The record of the call, if any, is published. */
static inline void producer_end(struct producer *p, uint64_t outer)
{
	atomic_store_explicit(&p->ring->in_flight, outer, memory_order_release);
}

static inline uint64_t producer_cpu(struct producer *p, uint64_t now)
{
	if (now - p->cpu_read < recording.cpu_step)
		return p->cpu;
	return producer_cpu_slow(p, now);
}

#endif
