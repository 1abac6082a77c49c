/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Until the start packet of a child is in the pipe, no watermark of the parent may be later than
 * the fork. The child signals through a pipe of its own, whose end also indicates that no child
 * exists or that it died. Meanwhile the parent holds the lock, so no other thread can send a
 * watermark.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "sender_internal.h"

enum { CHILD_TIMEOUT_MS = 1000 };

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void iot_sender_before_fork(struct iot_sender *s)
{
	sender_lock(s);
	if (!sender_is_ready(s))
		return;
	s->fork.start_ns = sender_clock_wall(&s->clock);
	if (pipe2(s->fork.pipe, O_CLOEXEC) != 0)
		s->fork.pipe[0] = s->fork.pipe[1] = -1;
	sender_lanes_lock(s->lanes);
	(void)pthread_mutex_lock(&s->clock.lock);
}

/* Other threads may begin and end I/Os again, but not send them. */
static void unlock_lanes(struct iot_sender *s)
{
	(void)pthread_mutex_unlock(&s->clock.lock);
	sender_lanes_unlock(s->lanes);
}

/* Returns true if the child's start packet has been sent, or no child exists. */
static bool child_is_known(const struct iot_sender *s)
{
	struct pollfd p = {.fd = s->fork.pipe[0], .events = POLLIN};
	int n;
	if (p.fd < 0)
		return false;
	do
		n = poll(&p, 1, CHILD_TIMEOUT_MS);
	while (n < 0 && errno == EINTR);
	return n > 0;
}

void iot_sender_after_fork_parent(struct iot_sender *s)
{
	const int saved_errno = errno;
	if (sender_is_ready(s)) {
		unlock_lanes(s);
		close_end(&s->fork.pipe[1]);
		const uint64_t fork_tick = sender_ticks(s, s->fork.start_ns);
		/* A silent child may start at any time: watermarks stay at the fork for good. */
		if (!child_is_known(s) && fork_tick < s->watermark_max)
			s->watermark_max = fork_tick;
		close_end(&s->fork.pipe[0]);
	}
	errno = saved_errno;
	(void)sender_unlock(s, IOT_OK);
}

void iot_sender_after_fork_child(struct iot_sender *s, uint32_t process)
{
	static const char known = 1;
	const int saved_errno = errno;
	if (sender_is_ready(s)) {
		close_end(&s->fork.pipe[0]);
		sender_batches_clear(&s->batches);
		sender_lanes_clear(s->lanes);
		s->generation++;
		sender_clock_forked(&s->clock);
		unlock_lanes(s);
		s->parent = s->process;
		s->process = process != 0 ? process : (uint32_t)getpid();
		s->sequence = s->records = s->dropped = s->flush.unflushed = 0;
		s->watermark_max = UINT64_MAX;
		(void)sender_send_start(s);
		/* If this fails, the parent still sees the end of the pipe. */
		if (s->fork.pipe[1] >= 0)
			(void)sender_pipe_write(s->fork.pipe[1], &known, 1, PIPE_WAIT);
		close_end(&s->fork.pipe[1]);
	}
	errno = saved_errno;
	(void)sender_unlock(s, IOT_OK);
}
