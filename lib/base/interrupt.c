/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/base/interrupt.h"

#include <poll.h>
#include <sys/ioctl.h>

enum interrupt_request interrupt_requested(const struct interrupt *i)
{
	const int own = __atomic_load_n(&i->request, __ATOMIC_RELAXED);
	const int other = i->other != NULL ? *i->other : INTERRUPT_NONE;
	const int max = own > other ? own : other;
	return max < INTERRUPT_QUIT ? (enum interrupt_request)max : INTERRUPT_QUIT;
}

void interrupt_raise(struct interrupt *i)
{
	(void)__atomic_add_fetch(&i->request, 1, __ATOMIC_RELAXED);
}

/*
 * A writer that never pauses must not block the reader: bytes that arrive after this point are not
 * read.
 */
static void begin_drain(struct drain *d, int fd)
{
	int bytes = 0;

	if (d->begun)
		return;
	d->begun = true;
	d->left = ioctl(fd, FIONREAD, &bytes) == 0 && bytes > 0 ? (size_t)bytes : 0;
}

enum pipe_state interrupt_wait(struct interrupt *interrupt, struct drain *d, int fd, int timeout_ms,
			       size_t *size)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	const int ready =
	    poll(&p, 1, interrupt_requested(interrupt) == INTERRUPT_NONE ? timeout_ms : 0);
	const enum interrupt_request request = interrupt_requested(interrupt);

	if (request == INTERRUPT_NONE)
		return ready > 0 ? PIPE_READABLE : PIPE_WAITS;
	begin_drain(d, fd);
	/* A pipe closed by its writers is at its end, not cut. */
	if (d->left == 0 && ready > 0 && (p.revents & POLLIN) == 0)
		return PIPE_READABLE;
	if (request == INTERRUPT_QUIT || d->left == 0) {
		atomic_store(&interrupt->cut, true);
		return PIPE_CUT;
	}
	if (*size > d->left)
		*size = d->left;
	return PIPE_READABLE;
}

void drain_consume(struct drain *d, size_t n)
{
	d->left -= n < d->left ? n : d->left;
}
