/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SIGSYS, which the kernel sends instead of making a call (Syscall User Dispatch), unless this
 * library makes it. The kernel kills a thread to which it sends SIGSYS while that is blocked. So it
 * stays out of all sets of signals that the program passes to the kernel, and the action of the
 * program for it is kept here.
 */
#ifndef RECORD_STUB_SIGNALS_H
#define RECORD_STUB_SIGNALS_H

#include <signal.h>

#include "stub_calls.h"

/* Makes the calls of the program trap, and sets recording.traps, unless the kernel refuses. */
void signals_begin(void (*handler)(int, siginfo_t *, void *));
/* As the above, in a thread or child that has begun. */
void signals_continue(void);
/* Handles a SIGSYS of another cause as the program wants. */
void signals_of_program(siginfo_t *info, void *context);
/* Code that calls rt_sigreturn with the stack as it is. */
void signals_return(void);

/* Returns the handler of a call that concerns SIGSYS, NULL if it is none. */
stub_handler *stub_signal(long number);
/* As stub_pass(), with SIGSYS taken out of the set of signals to which an argument points. */
long stub_pass_unblocked(const struct stub_frame *f, int argument);

#endif
