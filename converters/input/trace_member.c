/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Gives a trace to a reader: a file by its descriptor, so that the reader can seek; a pipe as the
 * bytes that were read of it when its format was detected, and those that follow; other members
 * (in tars, or compressed as a reader cannot) as decompressed bytes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "converters/converter.h"
#include "lib/base/interrupt.h"

enum { LOOK_MS = 100 }; /* maximum delay before a request from another thread is noticed */

struct trace_member {
	struct stored_bytes stored;
	size_t head_read;
	struct interrupt *interrupt;
	struct drain drain;
	struct bufreader *bytes; /* decompressed, or NULL */
};

static ssize_t take_head(struct trace_member *t, void *buffer, size_t size)
{
	const size_t left = t->stored.head_size - t->head_read;
	const size_t n = left < size ? left : size;
	memcpy(buffer, t->stored.head + t->head_read, n);
	t->head_read += n;
	return (ssize_t)n;
}

/* A truncated input ends with ECANCELED, which drops a partial line. */
static ssize_t read_pipe(void *context, void *buffer, size_t size)
{
	struct trace_member *t = context;
	if (t->head_read < t->stored.head_size)
		return take_head(t, buffer, size);
	for (;;) {
		const enum pipe_state state =
		    interrupt_wait(t->interrupt, &t->drain, t->stored.fd, LOOK_MS, &size);
		if (state == PIPE_CUT) {
			errno = ECANCELED;
			return -1;
		}
		if (state == PIPE_WAITS)
			continue;
		const ssize_t n = read(t->stored.fd, buffer, size);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (n > 0)
			drain_consume(&t->drain, (size_t)n);
		return n;
	}
}

static int errno_of(int status)
{
	return status == IOT_ENOMEM       ? ENOMEM
	       : status == IOT_EFORMAT    ? EBADMSG
	       : status == IOT_ETRUNCATED ? ENODATA
					  : EIO;
}

static ssize_t read_bytes(void *context, void *buffer, size_t size)
{
	const struct trace_member *t = context;
	size_t have;
	const char *bytes = bufreader_peek(t->bytes, 1, &have);
	const size_t n = have < size ? have : size;
	const int status = bufreader_status(t->bytes);
	if (n == 0 && status != IOT_OK) {
		errno = errno_of(status);
		return -1;
	}
	if (n > 0)
		memcpy(buffer, bytes, n);
	bufreader_consume(t->bytes, n);
	return (ssize_t)n;
}

static int open_reader(struct trace_member *t, struct input *in, size_t member,
		       struct iot_reader *r, struct error *error)
{
	const char *name = input_name(in, member);
	if (t->stored.fd >= 0 && t->stored.is_file)
		return iot_reader_open_fd(r, t->stored.fd, name);
	if (t->stored.fd >= 0)
		return iot_reader_open_callback(r, read_pipe, t, name);
	t->bytes = input_open(in, member, error);
	if (t->bytes == NULL)
		return error->status;
	(void)iot_reader_set(r, IOT_SET_DECOMPRESSED, 1); /* opening reports a failure */
	return iot_reader_open_callback(r, read_bytes, t, name);
}

struct trace_member *trace_member_open(struct input *in, size_t member, struct iot_reader *r,
				       struct interrupt *interrupt, struct error *error)
{
	struct trace_member *t = calloc(1, sizeof(*t));
	if (t == NULL) {
		error_no_memory(error);
		return NULL;
	}
	t->interrupt = interrupt;
	t->stored.fd = -1;
	if (input_stored(in, member, &t->stored, error) == IOT_OK &&
	    open_reader(t, in, member, r, error) == IOT_OK)
		return t;
	trace_member_free(t);
	return NULL;
}

void trace_member_free(struct trace_member *t)
{
	if (t == NULL)
		return;
	bufreader_free(t->bytes);
	if (t->stored.fd >= 0)
		close(t->stored.fd);
	free(t);
}
