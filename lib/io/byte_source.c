/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading, interruptions, and inputs that end early on request; see lib/base/interrupt.h. */
#include "byte_source.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/array.h"
#include "storage.h"

/* longest delay until a signal that arrives just before a wait is noticed */
enum { LOOK_MS = 500 };

/* Only the beginning of a file may be wanted. The second read is twice as large, and so on. */
enum { FIRST_READ = 1 << 16 }; /* the text that identifies a trace, if it is not compressed */

static bool readable_within(int fd, int timeout_ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, timeout_ms) > 0;
}

/*
 * Waits until a read of at most *size bytes does not block. Returns false if the input is cut here.
 */
static bool worth_reading(struct byte_source *in, size_t *size)
{
	enum pipe_state state = PIPE_WAITS;

	if (!in->interrupt || !in->waits)
		return true;
	while (state == PIPE_WAITS)
		state = interrupt_wait(in->interrupt, &in->drain, in->fd, LOOK_MS, size);
	return state == PIPE_READABLE;
}

/* Ends the input after the good bytes have been delivered. */
static ssize_t fail_interrupted(struct byte_source *in)
{
	atomic_store(&in->interrupt->cut, true);
	error_set(in->error, IOT_ETRUNCATED, "%s: interrupted at byte %llu", in->name,
		  (unsigned long long)in->stored);
	return 0;
}

static bool is_quit(const struct byte_source *in)
{
	return in->interrupt &&
	       interrupt_requested(in->interrupt) >= (in->waits ? INTERRUPT_QUIT : INTERRUPT_DRAIN);
}

/* Waits until a read does not block. Returns false if woken up to end. */
static bool not_woken(const struct byte_source *in)
{
	struct pollfd p[2] = {{.fd = in->fd, .events = POLLIN},
			      {.fd = in->wake_fd, .events = POLLIN}};

	while (poll(p, 2, -1) < 0 && (errno == EINTR || errno == EAGAIN))
		;
	return p[1].revents == 0;
}

static ssize_t read_fd(struct byte_source *in, void *to, size_t size)
{
	for (;;) {
		ssize_t n;

		if (!worth_reading(in, &size))
			return fail_interrupted(in);
		if (in->can_wake && !not_woken(in))
			return 0;
		n = read(in->fd, to, size);
		if (n >= 0) {
			drain_consume(&in->drain, (size_t)n);
			return n;
		}
		if (errno == EAGAIN || errno == EWOULDBLOCK)
			readable_within(in->fd, LOOK_MS);
		else if (errno != EINTR)
			return -1;
	}
}

static ssize_t read_callback(struct byte_source *in, void *to, size_t size)
{
	ssize_t n;

	do
		n = in->read(in->context, to, size);
	while (n < 0 && errno == EINTR && !is_quit(in));
	if (n < 0 && errno == EINTR)
		return fail_interrupted(in);
	if (n > 0 && (size_t)n > size) {
		error_set(in->error, IOT_EUSAGE, "%s: more bytes than asked for", in->name);
		return 0;
	}
	return n;
}

static ssize_t read_source(struct byte_source *in, void *to, size_t size)
{
	if (in->kind == BYTE_SOURCE_FD)
		return read_fd(in, to, size);
	if (in->kind == BYTE_SOURCE_STORAGE)
		return storage_read_some(in->storage, in->stored, to, size);
	return read_callback(in, to, size);
}

static void fail_read(const struct byte_source *in)
{
	const bool unpacks = in->kind == BYTE_SOURCE_CALLBACK;
	const unsigned long long at = in->stored;
	if (in->why && in->why->status != IOT_OK)
		error_set(in->error, in->why->status, "%s", in->why->text);
	else if (unpacks && in->errnum == EBADMSG)
		error_set(in->error, IOT_EFORMAT,
			  "%s: after byte %llu of the decompressed data: damaged compressed data",
			  in->name, at);
	else if (unpacks && in->errnum == ENODATA)
		error_set(
		    in->error, IOT_ETRUNCATED,
		    "%s: after byte %llu of the decompressed data: the compressed data ends early",
		    in->name, at);
	else
		error_system(in->error, in->errnum, "%s: at byte %llu: cannot be read", in->name,
			     at);
}

static void keep_bytes(struct kept_bytes *k, const void *bytes, size_t n)
{
	if (k->incomplete || !array_reserve(&k->data, &k->capacity, k->size + n, 1)) {
		k->incomplete = true;
		return;
	}
	memcpy(k->data + k->size, bytes, n);
	k->size += n;
}

/* Returns the maximum size of the next read, which is larger than the one before it. */
static size_t next_step(struct byte_source *in)
{
	if (in->kind != BYTE_SOURCE_FD || in->step >= in->read_size)
		return in->read_size;
	in->step = in->step == 0 ? FIRST_READ : 2 * in->step;
	return in->step < in->read_size ? in->step : in->read_size;
}

/* The bytes to read next, of the `left` ones that could be. */
static size_t next_size(struct byte_source *in, size_t left)
{
	const size_t step = next_step(in), n = left < step ? left : step;
	if (in->limit == 0 || n <= in->limit - in->stored)
		return n;
	return (size_t)(in->limit - in->stored);
}

size_t byte_source_read(struct byte_source *in, void *to, size_t capacity)
{
	const size_t size = next_size(in, capacity);
	ssize_t n = 0;

	if (!in->ended && is_quit(in)) {
		in->ended = true;
		fail_interrupted(in);
	}
	if (!in->ended && size == 0) {
		in->ended = true;
	} else if (!in->ended) {
		n = read_source(in, to, size);
		in->errnum = n >= 0 ? 0 : errno != 0 ? errno : EIO;
		in->ended = n <= 0;
	}
	if (in->errnum != 0)
		fail_read(in);
	if (n <= 0)
		return 0;
	if (in->keep && in->keep->on)
		keep_bytes(in->keep, to, (size_t)n);
	in->stored += (uint64_t)n;
	return (size_t)n;
}

size_t byte_source_step(struct byte_source *in, size_t left)
{
	const size_t n = next_size(in, left);

	in->stored += n;
	in->ended = n == 0;
	return n;
}

bool byte_source_seek(struct byte_source *in, uint64_t first, uint64_t at)
{
	if (in->kind == BYTE_SOURCE_FD && lseek(in->fd, (off_t)(first + at), SEEK_SET) < 0)
		return false;
	in->stored = at;
	in->ended = false;
	in->errnum = 0;
	return true;
}
