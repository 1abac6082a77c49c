/* SPDX-License-Identifier: BSD-2-Clause */
/* The beginning of every recorded call, and the state of the library in the life of a process. */
#ifndef RECORD_ENTER_H
#define RECORD_ENTER_H

#include "descriptors.h"

#ifndef EXPORT /* a test is linked with the library */
#define EXPORT __attribute__((visibility("default")))
#endif
#define ALIAS(name, of) EXPORT extern __typeof__(of) name __attribute__((alias(#of)))

/* Returns the state of a thread that has no ring; NULL if its calls are not recorded. */
struct producer *thread_here_slow(void);

/*
 * Returns the state of this thread; NULL if its calls are not recorded: no recording, a call of the
 * library itself, or the child of vfork.
 */
static inline struct producer *thread_here(void)
{
	struct producer *p = &producer_self;
	if (__builtin_expect(p->ring != NULL && *recording.joined == p->joined, 1))
		return p;
	return thread_here_slow();
}

/* The program begins. Returns whether it is recorded. */
bool process_start(int argc, char **argv, char **envp);
/*
 * Finds the functions of libc that jump, for those that programs call instead, unless they are
 * known.
 */
void jumps_find(void);
/* States where they are. */
void jumps_are_at(uint64_t longjmp, uint64_t longjmp_chk);
/* The process is about to run another program. */
void process_executes(void);
/* Records the end of the process. Safe to call more than once. */
void process_exit(void);

#endif
