/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The disposition of SIGPIPE belongs to the traced program, so the signal is blocked in this thread
 * during the write, and consumed if the write raised it.
 */
#include "sender_pipe.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

struct shield {
	sigset_t pipe, before;
	bool was_pending, up;
};

static void shield_up(struct shield *s)
{
	sigset_t pending;
	sigemptyset(&s->pipe);
	sigaddset(&s->pipe, SIGPIPE);
	s->was_pending = sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
	s->up = pthread_sigmask(SIG_BLOCK, &s->pipe, &s->before) == 0;
}

static void shield_down(const struct shield *s, bool raised)
{
	static const struct timespec at_once = {0, 0};
	if (!s->up)
		return;
	if (raised && !s->was_pending)
		while (sigtimedwait(&s->pipe, NULL, &at_once) < 0 && errno == EINTR)
			;
	(void)pthread_sigmask(SIG_SETMASK, &s->before, NULL);
}

static void wait_for_space(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};
	(void)poll(&p, 1, -1);
}

/* Returns the bytes written; *errnum is the reason if not all were. */
static size_t write_all(int fd, const char *data, size_t size, enum sender_pipe_full full,
			int *errnum)
{
	size_t done = 0;
	*errnum = 0;
	while (done < size) {
		ssize_t n = write(fd, data + done, size - done);
		if (n > 0) {
			done += (size_t)n;
		} else if (n == 0) {
			*errnum = EIO;
			break;
		} else if (errno == EAGAIN || errno == EWOULDBLOCK) {
			/* A partially written packet must be completed. */
			if (full == SENDER_PIPE_DROP && done == 0) {
				*errnum = EAGAIN;
				break;
			}
			wait_for_space(fd);
		} else if (errno != EINTR) {
			*errnum = errno;
			break;
		}
	}
	return done;
}

int sender_pipe_send(int fd, const void *data, size_t size, enum sender_pipe_full full,
		     bool *dropped, struct error *error)
{
	struct shield shield;
	int errnum, caller = errno;
	shield_up(&shield);
	(void)write_all(fd, data, size, full, &errnum);
	shield_down(&shield, errnum == EPIPE);
	errno = caller;
	*dropped = errnum == EAGAIN;
	if (errnum == 0 || *dropped)
		return IOT_OK;
	return error_system(error, errnum, "packets cannot be sent");
}
