/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stops an input before its end. A signal handler sets the request; the reader checks it before
 * each read and records that bytes may be missing.
 */
#ifndef LIB_IO_STOP_H
#define LIB_IO_STOP_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum asked {
	ASKED_NOTHING,
	ASKED_DRAIN, /* a pipe ends after the bytes that it contains now, a file immediately */
	ASKED_QUIT,  /* every input ends immediately */
};

struct interrupt {
	volatile sig_atomic_t asked; /* enum asked; never decreases */
	atomic_bool cut;             /* an input ended early because of the request */
};

/* State of one pipe. Initialize to zero. */
struct drain {
	bool begun;
	size_t left; /* bytes that may still be read */
};

enum pipe_state { PIPE_WAITS, PIPE_READABLE, PIPE_CUT };

/*
 * Waits up to timeout_ms until a read of fd does not block. READABLE lowers *size to the bytes that
 * may be read now; the caller reports bytes read with drain_took. CUT sets stop->cut.
 */
enum pipe_state interrupt_wait(struct interrupt *stop, struct drain *d, int fd, int timeout_ms,
			       size_t *size);
void drain_took(struct drain *d, size_t n);

#endif
