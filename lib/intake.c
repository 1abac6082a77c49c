/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading, interruptions, and the rule of when an input ends that was told to stop: not before what
 * the writer at the other end of a pipe has sent already has been read.
 */
#include "intake.h"

#include <errno.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

enum {
	STOP_QUIET_MS = 100,  /* told to stop: a pipe silent for so long has ended */
	STOP_TOTAL_MS = 3000, /* ... and one that never is silent ends too */
	STOP_LOOK_MS = 500,   /* a signal just before a read is noticed after so long */
};

static int64_t now_ms(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_MONOTONIC, &t) != 0)
		return 0;
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static bool readable_within(int fd, int timeout_ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, timeout_ms) > 0;
}

/* Waits until a read will not block; false: told to stop, and nothing more seems to come. */
static bool worth_reading(struct iot_intake *in)
{
	int64_t left_ms;

	if (!in->stop)
		return true;
	/* A signal between a look at *stop and a read that blocks would go unnoticed. */
	while (!*in->stop)
		if (readable_within(in->fd, STOP_LOOK_MS))
			return true;
	if (in->stop_deadline_ms == 0)
		in->stop_deadline_ms = now_ms() + STOP_TOTAL_MS;
	left_ms = in->stop_deadline_ms - now_ms();
	if (left_ms <= 0)
		return false;
	return readable_within(in->fd, left_ms < STOP_QUIET_MS ? (int)left_ms : STOP_QUIET_MS);
}

/* Waits until a read will not block; false: woken up, to end. */
static bool not_woken(const struct iot_intake *in)
{
	struct pollfd p[2] = {{.fd = in->fd, .events = POLLIN},
			      {.fd = in->wake_fd, .events = POLLIN}};

	while (poll(p, 2, -1) < 0 && (errno == EINTR || errno == EAGAIN))
		;
	return p[1].revents == 0;
}

static ssize_t read_fd(struct iot_intake *in, void *to, size_t size)
{
	for (;;) {
		ssize_t n;

		if (!worth_reading(in) || (in->can_wake && !not_woken(in)))
			return 0;
		n = read(in->fd, to, size);
		if (n >= 0)
			return n;
		if (errno == EAGAIN || errno == EWOULDBLOCK)
			readable_within(in->fd, STOP_LOOK_MS);
		else if (errno != EINTR)
			return -1;
	}
}

static ssize_t read_callback(struct iot_intake *in, void *to, size_t size)
{
	ssize_t n;

	do
		n = in->read(in->context, to, size);
	while (n < 0 && errno == EINTR && !(in->stop && *in->stop));
	if (n < 0 && errno == EINTR)
		return 0;
	if (n > 0 && (size_t)n > size) {
		iot_error_set(in->error, IOT_EUSAGE, "%s: more bytes than asked for", in->name);
		return 0;
	}
	return n;
}

size_t iot_intake_take(struct iot_intake *in, void *to, size_t room)
{
	const size_t size = room < in->read_size ? room : in->read_size;
	ssize_t n = 0;

	if (in->quit && *in->quit > 1)
		in->ended = true;
	if (!in->ended) {
		n = in->kind == IOT_FROM_FD ? read_fd(in, to, size) : read_callback(in, to, size);
		in->errnum = n >= 0 ? 0 : errno != 0 ? errno : EIO;
		in->ended = n <= 0;
	}
	if (in->errnum != 0 && in->why && in->why->status != IOT_OK)
		iot_error_set(in->error, in->why->status, "%s", in->why->text);
	else if (in->errnum != 0)
		iot_error_system(in->error, in->errnum, "%s: at byte %llu: cannot be read",
				 in->name, (unsigned long long)in->stored);
	if (n <= 0)
		return 0;
	in->stored += (uint64_t)n;
	return (size_t)n;
}

size_t iot_intake_step(struct iot_intake *in, size_t left)
{
	const size_t n = left < in->read_size ? left : in->read_size;

	in->stored += n;
	in->ended = n == 0;
	return n;
}

bool iot_intake_seek(struct iot_intake *in, uint64_t first, uint64_t at)
{
	if (in->kind == IOT_FROM_FD && lseek(in->fd, (off_t)(first + at), SEEK_SET) < 0)
		return false;
	in->stored = at;
	in->ended = false;
	in->errnum = 0;
	return true;
}
