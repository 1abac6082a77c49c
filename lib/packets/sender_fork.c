/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fork: until the child's start packet is in the pipe, no watermark of the parent may be later than
 * the fork. The child signals through a pipe of its own, whose end also indicates that no child
 * exists or that it died. Meanwhile the parent holds the lock, so no other thread can send a
 * watermark.
 */
#include "sender_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

enum { PATIENCE_MS = 1000 };

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void iot_sender_before_fork(struct iot_sender *s)
{
	int64_t cpu_ns;
	(void)pthread_mutex_lock(&s->lock);
	if (!sender_ready(s))
		return;
	sender_clock(s, &s->fork_ns, &cpu_ns);
	if (pipe2(s->fork_pipe, O_CLOEXEC) != 0)
		s->fork_pipe[0] = s->fork_pipe[1] = -1;
}

/* Returns true if the child's start packet has been sent, or no child exists. */
static bool child_is_known(const struct iot_sender *s)
{
	struct pollfd p = {.fd = s->fork_pipe[0], .events = POLLIN};
	int n;
	if (p.fd < 0)
		return false;
	do
		n = poll(&p, 1, PATIENCE_MS);
	while (n < 0 && errno == EINTR);
	return n > 0;
}

void iot_sender_after_fork_parent(struct iot_sender *s)
{
	int caller = errno;
	if (sender_ready(s)) {
		close_end(&s->fork_pipe[1]);
		uint64_t fork_tick = packet_ticks_from_ns((uint64_t)s->fork_ns, s->tick_ps);
		/* A silent child may start at any time: watermarks stay at the fork for good. */
		if (!child_is_known(s) && fork_tick < s->mark_max)
			s->mark_max = fork_tick;
		close_end(&s->fork_pipe[0]);
	}
	errno = caller;
	(void)pthread_mutex_unlock(&s->lock);
}

void iot_sender_after_fork_child(struct iot_sender *s, uint32_t process)
{
	static const char known = 1;
	struct error ignored = {.status = IOT_OK};
	int caller = errno;
	bool dropped;
	if (sender_ready(s)) {
		close_end(&s->fork_pipe[0]);
		sender_batches_clear(&s->batches);
		s->flights.next = s->flights.previous = &s->flights;
		s->life++;
		s->parent = s->process;
		s->process = process != 0 ? process : (uint32_t)getpid();
		s->sequence = s->records = s->dropped = s->unflushed = 0;
		s->mark_max = UINT64_MAX;
		(void)sender_send_start(s);
		/* If this fails, the parent still sees the end of the pipe. */
		if (s->fork_pipe[1] >= 0)
			(void)sender_pipe_send(s->fork_pipe[1], &known, 1, SENDER_PIPE_WAIT,
					       &dropped, &ignored);
		close_end(&s->fork_pipe[1]);
	}
	errno = caller;
	(void)pthread_mutex_unlock(&s->lock);
}
