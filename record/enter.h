/* SPDX-License-Identifier: BSD-2-Clause */
/* What every wrapper begins with, and the relation of the library to the life of the process. */
#ifndef RECORD_ENTER_H
#define RECORD_ENTER_H

#include "descriptors.h"
#include "real.h"

#ifndef EXPORT /* a test is linked with the library */
#define EXPORT __attribute__((visibility("default")))
#endif
#define ALIAS(name, of) EXPORT extern __typeof__(of) name __attribute__((alias(#of)))

/* Return the state of a thread that has no ring; NULL if its calls are not recorded. */
struct producer *thread_enter_slow(void);
struct producer *thread_here_slow(void);

/*
 * Returns the state of this thread; NULL if its calls are not recorded: no recording, a call of the
 * library itself, or the child of vfork.
 */
static inline struct producer *thread_here(void)
{
	struct producer *p = &producer_self;
	if (__builtin_expect(p->ring != NULL && *recording.joined != 0, 1))
		return p;
	return thread_here_slow();
}

/* As thread_here(), in a wrapper: also NULL if the system calls of libc lead to stubs. */
static inline struct producer *thread_enter(void)
{
	struct producer *p = &producer_self;
	if (__builtin_expect(p->ring != NULL && *recording.joined == RECORDING_BY_WRAPPERS, 1))
		return p;
	return thread_enter_slow();
}

/* The program begins. Returns whether it is recorded. */
bool process_start(int argc, char **argv, char **envp);
/* The process is about to run another program. */
void process_executes(void);
/* Records the end of the process. Safe to call more than once. */
void process_exit(void);

#endif
