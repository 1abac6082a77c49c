/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A ring of slots that a thread fills in order ahead of the caller. The slots belong to the caller;
 * the ring knows only their numbers.
 */
#ifndef LIB_BASE_PREFETCH_H
#define LIB_BASE_PREFETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Fills a slot. Returns a positive number if it filled the slot and may be called again; otherwise
 * 0 at the end, or a negative status.
 */
typedef ssize_t prefetch_fn(void *context, size_t slot);

struct prefetch;

/*
 * slots: 2 or more. Until the ring is freed, fill and all it uses belong to its thread, except the
 * slot that prefetch_next returned last. Without `threaded`, or with one processor, fill is called
 * by prefetch_next, always for slot 0. Returns NULL if out of memory.
 */
struct prefetch *prefetch_new(prefetch_fn *fill, void *context, size_t slots, bool threaded);
/* Wakes a waiting caller for each slot, because the next fill may block. */
void prefetch_wake_early(struct prefetch *p);
/*
 * Waits for the next slot and returns the result of its fill; 0 at the end and after an error.
 * *slot is the caller's until the next call.
 */
ssize_t prefetch_next(struct prefetch *p, size_t *slot);
/* Stops the thread after the fill that is running, and waits for it. NULL is ignored. */
void prefetch_free(struct prefetch *p);

#endif
