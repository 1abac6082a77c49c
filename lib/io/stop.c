/* SPDX-License-Identifier: BSD-2-Clause */
#include "stop.h"

#include <poll.h>
#include <sys/ioctl.h>

/* A writer that never pauses must not keep the reader: what comes after this look is not read. */
static void begin_drain(struct iot_drain *d, int fd)
{
	int bytes = 0;

	if (d->begun)
		return;
	d->begun = true;
	d->left = ioctl(fd, FIONREAD, &bytes) == 0 && bytes > 0 ? (size_t)bytes : 0;
}

enum iot_pipe_state iot_stop_wait(struct iot_interrupt *stop, struct iot_drain *d, int fd,
				  int timeout_ms, size_t *size)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	const int ready = poll(&p, 1, stop->asked == IOT_ASKED_NOTHING ? timeout_ms : 0);

	if (stop->asked == IOT_ASKED_NOTHING)
		return ready > 0 ? IOT_PIPE_READABLE : IOT_PIPE_WAITS;
	begin_drain(d, fd);
	/* A pipe whose writers have closed it is at its end, and not cut. */
	if (d->left == 0 && ready > 0 && (p.revents & POLLIN) == 0)
		return IOT_PIPE_READABLE;
	if (stop->asked == IOT_ASKED_QUIT || d->left == 0) {
		atomic_store(&stop->cut, true);
		return IOT_PIPE_CUT;
	}
	if (*size > d->left)
		*size = d->left;
	return IOT_PIPE_READABLE;
}

void iot_drain_took(struct iot_drain *d, size_t n)
{
	d->left -= n < d->left ? n : d->left;
}
