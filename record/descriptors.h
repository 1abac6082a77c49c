/* SPDX-License-Identifier: BSD-2-Clause */
/* What calls do to the descriptors of this process, and to the descriptions they refer to. */
#ifndef RECORD_DESCRIPTORS_H
#define RECORD_DESCRIPTORS_H

#include <fcntl.h>
#include <sys/types.h>

#include "descriptor_table.h"
#include "events.h"

/* Marks flags of a description as stale: O_APPEND is only known to the kernel. */
#define DESCRIPTION_FLAGS_UNKNOWN (1U << 31)

/* Looks up a descriptor that the table does not know, and records it. */
union descriptor descriptor_find(struct producer *p, int fd);
/* A call opened a descriptor. The event has op, start, result, flags, directory and path. */
void descriptor_opened(struct producer *p, struct event *e);
/* `to` is another descriptor of the description of `from`. */
void descriptor_duplicated(struct producer *p, int from, int to);
/*
 * Removes a descriptor that is about to be closed, and returns its entry for descriptor_closed().
 * The kernel may return the number again as soon as it is closed.
 */
union descriptor descriptor_remove(int fd);
/* The call to close has returned: records it if this was the last descriptor of the description. */
void descriptor_closed(struct producer *p, union descriptor d, int fd, struct event *e);
/*
 * Compares the position of a descriptor that is about to be closed with the kernel's: each
 * 16th time, and each time after a difference.
 */
void descriptor_compare(union descriptor d, int fd);
void descriptor_set_position(struct producer *p, int fd, int64_t position);
/* d: the descriptor, from before the call. */
void descriptor_set_append(union descriptor d, int fd, bool append);
/*
 * Updates whether a write is an append, from the slot or, if that does not know, from the kernel.
 */
void descriptor_ask_append(union descriptor *d, int fd);
/* Forgets what a number referred to, which the library did not see closed. */
void descriptor_reset(int fd);
void descriptor_reset_range(struct producer *p, unsigned first, unsigned last);
/* Before a call that starts a process: all positions become shared; the child holds references. */
void descriptors_share(bool forks);
/* The call failed: undoes the references. */
void descriptors_unshare(void);
/*
 * Before another process begins to share the numbers, but not the memory: from now on, the table is
 * empty, and each call asks the kernel what its number refers to.
 */
void descriptors_share_numbers(void);
/* Before exec and after its failure: drops and takes references. */
void descriptors_exec(void);
void descriptors_exec_failed(void);
/* This thread has descriptors of its own from now on: copies of those it had. */
void descriptors_divide(void);
/* The thread ends, and closes them. */
void descriptors_leave(void);
/*
 * A child of vfork begins to use descriptors, which are copies of its parent's. Returns false if
 * out of memory.
 */
bool descriptors_lend(void);
/* Its parent continues. executed: references were dropped before exec. */
void descriptors_return(bool executed);

static inline union descriptor descriptor_get(struct producer *p, int fd)
{
	const union descriptor d = entry_load(fd);
	return d.word != 0 ? d : descriptor_find(p, fd);
}

static inline struct record_description *descriptor_slot(union descriptor d)
{
	return &recording.slots[d.slot];
}

/* O_APPEND belongs to the description: another descriptor or process may have changed it. */
static inline void descriptor_update_append(union descriptor *d, int fd)
{
	const uint32_t flags =
	    atomic_load_explicit(&descriptor_slot(*d)->flags, memory_order_relaxed);
	const bool known = (flags & DESCRIPTION_FLAGS_UNKNOWN) == 0;
	if (__builtin_expect(!known || ((flags & O_APPEND) != 0) != d->append, 0))
		descriptor_ask_append(d, fd);
}

/* Notes that the position of a descriptor was used, so that close compares it. */
static inline void descriptor_mark_moved(union descriptor d, int fd)
{
	uint64_t old = d.word;
	d.moved = 1;
	atomic_compare_exchange_strong(&descriptors_here()->entry[fd], &old, d.word);
}

#endif
