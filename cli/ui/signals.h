/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SIGINT, SIGTERM and SIGHUP while a command writes.
 *
 * A command that reads files ends at the first signal and leaves nothing behind. One that reads a
 * pipe completes its output, since a pipe cannot be read again: the first SIGINT waits for the end of
 * file, because the writer, which a terminal interrupts as well, has more to write; the second one,
 * SIGTERM or SIGHUP end the input after the bytes that the pipe holds. After that, SIGINT or SIGTERM
 * ends the command and leaves nothing behind.
 */
#ifndef CLI_UI_SIGNALS_H
#define CLI_UI_SIGNALS_H

#include <stdbool.h>

#include "lib/io/stop.h"

enum signals_how {
	SIGNALS_FILES,   /* the inputs are files */
	SIGNALS_PIPE,    /* one of them is a pipe */
	SIGNALS_COLLECT, /* any signal ends the input, as usual */
};

/* output: "-" or a path; quiet: says nothing unless standard error is a terminal. */
void signals_catch(enum signals_how how, const char *output, bool quiet);
void signals_restore(void);

/* For inputs: asks them to end. */
struct interrupt *signal_stop(void);
/* Nonzero: the signal that ends the command; its output is dropped. */
int signal_pending(void);
/* Whether an input ended before its end. */
bool signal_cut(void);
/* The signal that the process has to end by: because of either of these; or 0. */
int signal_ending(void);

/* While an output of a temporary name gets its own, a signal does not end the process. */
void signals_hold(bool hold);

/* Ends the process by the signal if there is one to end by; else returns status. */
int signals_exit(int status);

#endif
