/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The descriptors of this process, by number. Lookups take no lock: an entry is one word. A thread
 * that called unshare(CLONE_FILES) has a table of its own.
 */
#ifndef RECORD_DESCRIPTOR_TABLE_H
#define RECORD_DESCRIPTOR_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum descriptor_type {
	DESCRIPTOR_UNKNOWN, /* closed, or not yet looked up */
	DESCRIPTOR_FILE,    /* a regular file or a block device */
	DESCRIPTOR_DIRECTORY,
	DESCRIPTOR_URING, /* a ring that a process created: `slot` is the end of its pid */
	DESCRIPTOR_PIPE,  /* from here on in the order of the counters */
	DESCRIPTOR_SOCKET,
	DESCRIPTOR_TERMINAL,
	DESCRIPTOR_DEVICE,
	DESCRIPTOR_MEMFD,
	DESCRIPTOR_OTHER,
};

/* An entry of the table; 0 is unknown. */
union descriptor {
	uint64_t word;
	struct {
		uint32_t number; /* of the description */
		uint32_t kind : 4;
		uint32_t append : 1;
		uint32_t duplicated : 1; /* another descriptor may refer to the description */
		uint32_t moved : 1;      /* the position was used */
		uint32_t has_slot : 1;   /* if not, the kernel is asked for the position */
		uint32_t padding : 8;
		uint32_t slot : 16;
	};
};

_Static_assert(sizeof(union descriptor) == 8, "one word");

struct descriptors {
	_Atomic uint64_t *entry;
	uint64_t count;
	_Atomic uint64_t used;    /* entries from here on were never used */
	struct descriptors *next; /* of another thread; tables are used again, never freed */
	_Atomic uint32_t is_in_use;
	struct descriptors *before; /* of the thread whose child of vfork uses this one */
	bool is_lent;               /* to such a child */
};

/* The table of the process, then the tables of threads. */
extern struct descriptors descriptors;
extern _Thread_local struct descriptors *descriptors_own __attribute__((tls_model("initial-exec")));

static inline struct descriptors *descriptors_here(void)
{
	struct descriptors *const own = descriptors_own;
	return __builtin_expect(own == NULL, 1) ? &descriptors : own;
}

/* Creates the table. Returns false if out of memory. */
bool descriptors_init(void);
/*
 * Gives this thread a copy of its table; lends: its child of vfork. Returns false if out of memory.
 */
bool descriptors_copy(bool lends);
/* The thread continues with this table, NULL: the table of the process. Its own one is free. */
void descriptors_replace(struct descriptors *with);
/* Stores an entry, if it is `old` until then. Returns false if it is not. */
bool entry_replace(int fd, union descriptor old, union descriptor d);

static inline union descriptor entry_load(int fd)
{
	union descriptor d = {0};
	const struct descriptors *const t = descriptors_here();
	if ((uint64_t)(unsigned)fd < t->count)
		d.word = atomic_load_explicit(&t->entry[fd], memory_order_relaxed);
	return d;
}

#endif
