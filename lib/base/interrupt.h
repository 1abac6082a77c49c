/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A request to end inputs early. A signal handler sets it; inputs check it before each read, and
 * record that bytes may be missing.
 */
#ifndef LIB_BASE_INTERRUPT_H
#define LIB_BASE_INTERRUPT_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum interrupt_request {
	INTERRUPT_NONE,
	INTERRUPT_DRAIN, /* a pipe ends after the bytes that it contains now, a file immediately */
	INTERRUPT_QUIT,  /* every input ends immediately */
};

struct interrupt {
	volatile sig_atomic_t request;      /* enum interrupt_request; never decreases */
	const volatile sig_atomic_t *other; /* the same, of a signal handler; or NULL */
	atomic_bool cut;                    /* an input ended early because of the request */
};

/* Returns the larger request. */
enum interrupt_request interrupt_requested(const struct interrupt *i);
/* Raises the request by one; may be called by any thread. */
void interrupt_raise(struct interrupt *i);

/* State of one pipe. Initialize to zero. */
struct drain {
	bool begun;
	size_t left; /* bytes that may still be read */
};

enum pipe_state { PIPE_WAITS, PIPE_READABLE, PIPE_CUT };

/*
 * Waits up to timeout_ms until a read of fd does not block. READABLE lowers *size to the bytes that
 * may be read now; the caller reports bytes read with drain_consume. CUT sets interrupt->cut.
 */
enum pipe_state interrupt_wait(struct interrupt *interrupt, struct drain *d, int fd, int timeout_ms,
			       size_t *size);
void drain_consume(struct drain *d, size_t n);

#endif
