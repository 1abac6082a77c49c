/* SPDX-License-Identifier: BSD-2-Clause */
/* The recording that this process belongs to: its shared memory, and files in its directory. */
#ifndef RECORD_RECORDING_H
#define RECORD_RECORDING_H

#include <stdbool.h>

#include "ring.h"

/*
 * The state of the process. It has one; the members are set when it joins the recording. Those that
 * each call needs, also copies of settings of `control`, are in one cache line. It is not at the
 * place in its page that the header of a ring has: processors compare the low bits of the address
 * of a load with the addresses of earlier stores.
 */
struct recording_state {
	_Alignas(RECORD_PAGE) char directory[1024];
	struct record_control *control; /* NULL: this process does not record */
	struct record_description *slots;
	struct record_process *process; /* its counters are in use even without a recording */
	/*
	 * One page, which fork clears: 0 means a child that has not yet joined. Then it has another
	 * number than its parent, whose rings it must not use.
	 */
	volatile uint16_t *joined;
	_Atomic uint32_t *joining; /* in the same page; 1: a thread of the child joins */
	uint16_t joins;            /* the last value of *joined, also in children */
	uint64_t cpu_step;         /* age of a reading of the CPU clock; 0: read it for each call */
	uint32_t pid;
	bool counts_ticks; /* the clock is RECORD_TSC */
	bool sends;        /* the transport is RECORD_PACKETS */
	int pipe;          /* ... and the descriptor of its pipe; else -1 */
	bool traps;        /* all calls of other code do, see record/stub_signals.h */
	bool in_valgrind;  /* which runs the program */
	bool can_populate; /* pages can get memory later: since Linux 5.14 */
	/* the library's own, which the kernel counts as well */
	uint64_t own_reads, own_bytes;
	_Atomic uint64_t own_writes, own_written;
};

extern struct recording_state recording;

/* Maps the recording that `directory` names. Returns false if there is none for this process. */
bool recording_open(const char *directory);
/* Returns 0 if this process can open the recording by its path, or a negative error. */
int recording_access(void);
/* Creates or, after exec, finds the file of this process. Returns false if that is impossible. */
bool recording_join(uint32_t parent, bool forked);
/* Reads a file of /proc as text. Returns false if that is impossible. */
bool recording_read(const char *path, char *text, size_t size);
/* Creates a ring, of which `*populated` bytes of data have memory. Returns NULL if it cannot. */
struct record_ring *recording_ring(uint64_t *populated);
/*
 * Makes spare files, once for a process and its children, before a call after which it may be
 * unable to make files.
 */
void recording_make_spares(void);
/* Gives memory to pages of a ring. Returns false if there is none. */
bool recording_populate(void *at, size_t size);
void recording_ring_unmap(struct record_ring *ring);
/* Returns whether the collector has a ring, or is going to search for it. */
bool recording_has_ring(const struct record_ring *ring);
/* Returns whether a collector runs. On a busy machine it may not do so for seconds. */
bool recording_is_collected(void);
/* Wakes the collector if it sleeps. */
void recording_wake_collector(void);
/*
 * Writes a file of this kind to the directory, named after this process. Returns its number, 0 if
 * that is impossible.
 */
uint32_t recording_write(const char *kind, const void *data, size_t size);
/* Returns whether the collector has removed a file that was written. */
bool recording_is_done(const char *kind, uint32_t number);

static inline void recording_count(enum record_counter counter, uint64_t n)
{
	if (recording.process != NULL)
		atomic_fetch_add_explicit(&recording.process->counter[counter], n,
					  memory_order_relaxed);
}

/* Counts what stays unseen unless it traps. */
static inline void recording_count_unseen(enum record_counter counter, uint64_t n)
{
	if (!recording.traps)
		recording_count(counter, n);
}

#endif
