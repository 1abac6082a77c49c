/* SPDX-License-Identifier: BSD-2-Clause */
#include "doorbell.h"
#include "lib/base/clock.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Waits while the futex has this value. The timeout is for programs that prevent a wake. */
static bool wait_for_change(struct doorbell *d, uint32_t value)
{
	const struct timespec timeout = {.tv_sec = 1};
	return syscall(SYS_futex, d->futex, FUTEX_WAIT, value, &timeout, NULL, 0) == 0 ||
	       errno == EAGAIN || errno == EINTR || errno == ETIMEDOUT;
}

static void beat(struct doorbell *d)
{
	atomic_store(d->heartbeat, clock_monotonic_ns());
}

static void *listen(void *argument)
{
	struct doorbell *d = argument;
	uint32_t last = atomic_load(d->futex);
	while (atomic_load(&d->stopped) == 0 && wait_for_change(d, last)) {
		const uint32_t now = atomic_load(d->futex);
		beat(d);
		if (now != last)
			(void)eventfd_write(d->fd, 1);
		last = now;
	}
	return NULL;
}

void doorbell_start(struct doorbell *d, _Atomic uint32_t *futex, _Atomic uint64_t *heartbeat)
{
	*d = (struct doorbell){
	    .futex = futex, .heartbeat = heartbeat, .fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
	if (d->fd < 0 || pthread_create(&d->thread, NULL, listen, d) == 0)
		return;
	(void)close(d->fd);
	d->fd = -1;
}

void doorbell_answer(const struct doorbell *d)
{
	eventfd_t rings;
	if (d->fd >= 0)
		(void)eventfd_read(d->fd, &rings);
}

void doorbell_stop(struct doorbell *d)
{
	if (d->fd < 0)
		return;
	atomic_store(&d->stopped, 1);
	atomic_fetch_add(d->futex, 1);
	(void)syscall(SYS_futex, d->futex, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	(void)pthread_join(d->thread, NULL);
	(void)close(d->fd);
	d->fd = -1;
}
