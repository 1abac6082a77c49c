/* SPDX-License-Identifier: BSD-2-Clause */
#include "sender_pipe.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static void wait_for_space(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};
	(void)poll(&p, 1, -1);
}

static int write_all(int fd, const char *data, size_t size, enum full_pipe full)
{
	size_t done = 0;
	while (done < size) {
		const ssize_t n = write(fd, data + done, size - done);
		if (n > 0) {
			done += (size_t)n;
		} else if (n == 0) {
			return EIO;
		} else if (errno == EAGAIN || errno == EWOULDBLOCK) {
			/* A partially written packet must be completed. */
			if (full == PIPE_DROP && done == 0)
				return EAGAIN;
			wait_for_space(fd);
		} else if (errno != EINTR) {
			return errno;
		}
	}
	return 0;
}

/*
 * The disposition of SIGPIPE belongs to the traced program, so the signal is blocked
 * in this thread during the write, and consumed if the write raised it.
 */
int sender_pipe_write(int fd, const void *data, size_t size, enum full_pipe full)
{
	static const struct timespec at_once = {0, 0};
	const int saved_errno = errno;
	sigset_t sigpipe, pending, before;
	sigemptyset(&sigpipe);
	sigaddset(&sigpipe, SIGPIPE);
	const bool blocked = pthread_sigmask(SIG_BLOCK, &sigpipe, &before) == 0;
	/* A signal that was not blocked cannot be pending. */
	const bool was_pending = blocked && sigismember(&before, SIGPIPE) == 1 &&
				 sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
	const int errnum = write_all(fd, data, size, full);
	if (blocked && errnum == EPIPE && !was_pending)
		while (sigtimedwait(&sigpipe, NULL, &at_once) < 0 && errno == EINTR)
			;
	if (blocked)
		(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = saved_errno;
	return errnum;
}
