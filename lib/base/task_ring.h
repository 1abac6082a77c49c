/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tasks that each process all slots of a ring in order, each on one thread at a time. The caller
 * fills the slots; several threads, also the caller's, run the task that is furthest back. So
 * results depend on the order of the slots only, not on the number of threads.
 */
#ifndef LIB_BASE_TASK_RING_H
#define LIB_BASE_TASK_RING_H

#include <stdbool.h>
#include <stddef.h>

enum { TASK_RING_TASKS = 32, TASK_RING_THREADS = 64 };

struct task_ring_options {
	/* Returns false if out of memory; it is then not called again. */
	bool (*run)(void *context, unsigned task, size_t slot);
	void *context;
	unsigned tasks; /* at most TASK_RING_TASKS */
	size_t slots;   /* of the ring; 2 or more */
};

struct task_ring;

/*
 * Starts `threads` threads in addition to the caller's. Returns NULL if out of memory or if no
 * thread starts.
 */
struct task_ring *task_ring_new(const struct task_ring_options *options, size_t threads);
/* Returns the slot to be filled next, which is then the caller's until it is published. */
size_t task_ring_slot(struct task_ring *r);
void task_ring_publish(struct task_ring *r);
/* Waits until all tasks have processed what is published. */
void task_ring_drain(struct task_ring *r);
bool task_ring_failed(struct task_ring *r);
/* Ends the threads, without waiting for tasks that are not running. NULL is ignored. */
void task_ring_free(struct task_ring *r);

#endif
