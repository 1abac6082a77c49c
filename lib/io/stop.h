/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ends an input before its end. A signal handler asks for it; whoever reads looks at the request
 * before each read, and records that bytes may be missing.
 */
#ifndef LIB_IO_STOP_H
#define LIB_IO_STOP_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum asked {
	ASKED_NOTHING,
	ASKED_DRAIN, /* a pipe ends after the bytes that it holds now, a file at once */
	ASKED_QUIT,  /* every input ends at once */
};

struct interrupt {
	volatile sig_atomic_t asked; /* enum asked; never decreases */
	atomic_bool cut;             /* an input ended before its end because of it */
};

/* State of one pipe. All zero at the beginning. */
struct drain {
	bool begun;
	size_t left; /* bytes that may still be read */
};

enum pipe_state { PIPE_WAITS, PIPE_READABLE, PIPE_CUT };

/*
 * Waits at most timeout_ms until a read of fd does not block. READABLE lowers *size to what may be
 * read at once; the caller subtracts what it reads with drain_took. CUT sets stop->cut.
 */
enum pipe_state decode_stop_wait(struct interrupt *stop, struct drain *d, int fd, int timeout_ms,
				 size_t *size);
void drain_took(struct drain *d, size_t n);

#endif
