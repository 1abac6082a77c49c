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

enum iot_asked {
	IOT_ASKED_NOTHING,
	IOT_ASKED_DRAIN, /* a pipe ends after the bytes that it holds now, a file at once */
	IOT_ASKED_QUIT,  /* every input ends at once */
};

struct iot_interrupt {
	volatile sig_atomic_t asked; /* enum iot_asked; never decreases */
	atomic_bool cut;             /* an input ended before its end because of it */
};

/* State of one pipe. All zero at the beginning. */
struct iot_drain {
	bool begun;
	size_t left; /* bytes that may still be read */
};

enum iot_pipe_state { IOT_PIPE_WAITS, IOT_PIPE_READABLE, IOT_PIPE_CUT };

/*
 * Waits at most timeout_ms until a read of fd does not block. READABLE lowers *size to what may be
 * read at once; the caller subtracts what it reads with iot_drain_took. CUT sets stop->cut.
 */
enum iot_pipe_state iot_stop_wait(struct iot_interrupt *stop, struct iot_drain *d, int fd,
				  int timeout_ms, size_t *size);
void iot_drain_took(struct iot_drain *d, size_t n);

#endif
