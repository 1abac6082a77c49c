/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SIGINT, SIGTERM and SIGHUP while a command writes.
 *
 * A command that reads files ends at the first signal and leaves no output. A command that reads a
 * pipe completes its output, because a pipe cannot be read again: after the first SIGINT it
 * continues to the end of file, because the writer, which a terminal interrupts as well, has more
 * to write; a second SIGINT, or SIGTERM or SIGHUP, ends the input after the bytes in the pipe.
 * After that, SIGINT or SIGTERM ends the command without an output.
 */
#ifndef CLI_UI_SIGNALS_H
#define CLI_UI_SIGNALS_H

#include <stdbool.h>

#include "lib/base/interrupt.h"

enum signals_how {
	SIGNALS_FILES,   /* the inputs are files */
	SIGNALS_PIPE,    /* one of them is a pipe */
	SIGNALS_COLLECT, /* any signal ends the input, as usual */
};

/*
 * Ignores SIGPIPE and SIGXFSZ: a closed pipe and the file size limit are reported as errors of
 * write(2), like a full disk. Children can be waited for even if the caller ignores SIGCHLD.
 */
void signals_init(void);
/* For programs that the process is about to run: undoes signals_init and signals_receive. */
void signals_inherit(void);
/*
 * Blocks every signal except SIGCHLD, in threads that are created later, too, and ignores those
 * that belong to glibc. Returns a descriptor from which the others are read (signalfd(2)), -1 with
 * errno set.
 */
int signals_receive(void);

/* output: "-" or a path; quiet: no message unless standard error is a terminal. */
void signals_catch(enum signals_how how, const char *output, bool quiet);
void signals_restore(void);

/* From now on SIGUSR1 is a request for a message about the progress, unless it is ignored. */
void signals_catch_progress(void);
/* Returns whether there was one since the last call. Any thread may call it. */
bool signals_progress_requested(void);

/* For inputs: requests them to end. */
struct interrupt *signals_interrupt(void);
/* Nonzero: the signal that ends the command; its output is discarded. */
int signals_pending(void);
/* Returns whether an input was ended early. */
bool signals_cut(void);
/* The signal that must terminate the process, for either of these reasons; or 0. */
int signals_ending(void);

/* While a temporary output is renamed, a signal does not end the process. */
void signals_hold(bool hold);

/* Terminates the process by the signal, if there is one; otherwise returns status. */
int signals_exit(int status);

#endif
