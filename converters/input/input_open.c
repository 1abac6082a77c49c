/* SPDX-License-Identifier: BSD-2-Clause */
/* Members that are open: their raw bytes, which are counted, and the windows on top. */
#include "input_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/base/fdio.h"

enum {
	IOT_READ_TOTAL = 16 << 20, /* shared by the windows of all members */
	IOT_READ_MOST = 1 << 20,   /* of one window */
	IOT_READ_LEAST = 4096,
};

uint64_t iot_tap_position(const struct iot_tap *t)
{
	if (t->fd < 0)
		return t->at;
	off_t at = lseek(t->fd, 0, SEEK_CUR);
	if (at >= 0)
		return (uint64_t)at;
	return t->window != NULL ? iot_window_stored(t->window) : 0;
}

static void tap_free(void *context)
{
	struct iot_tap *t = context;
	struct iot_input *in = t->in;
	in->member[t->member].done = iot_tap_position(t);
	in->done += in->member[t->member].done;
	if (t->fd >= 0)
		close(t->fd);
	*t->link = t->next;
	if (t->next != NULL)
		t->next->link = t->link;
	free(t);
}

/* fd, which may be -1 for a slice of the spool, belongs to the tap. */
static struct iot_tap *tap_new(struct iot_input *in, size_t member, int fd)
{
	struct iot_tap *t = calloc(1, sizeof(*t));
	if (t == NULL)
		return NULL;
	t->in = in;
	t->member = member;
	t->fd = fd;
	t->next = in->taps;
	t->link = &in->taps;
	if (t->next != NULL)
		t->next->link = &t->next;
	in->taps = t;
	in->done -= in->member[member].done;
	in->member[member].done = 0;
	return t;
}

static ssize_t read_spool(void *context, void *buffer, size_t size)
{
	struct iot_tap *t = context;
	const struct iot_member *m = &t->in->member[t->member];
	uint64_t left = m->size - t->at;
	ssize_t n = 0;
	if (left > 0)
		n = iot_file_read(t->in->spool.fd, buffer, size < left ? size : (size_t)left,
				  (uint64_t)m->spool_at + t->at);
	if (n > 0)
		t->at += (uint64_t)n;
	if (left == 0 && m->fault != NULL) {
		t->why = *m->fault;
		errno = EIO;
		return -1;
	}
	return n;
}

static size_t read_size(const struct iot_input *in)
{
	if (in->read_size > 0)
		return in->read_size;
	if (in->looking)
		return IOT_HEAD_SIZE;
	size_t size = in->count > 0 ? (size_t)IOT_READ_TOTAL / in->count : IOT_READ_MOST;
	if (size > IOT_READ_MOST)
		return IOT_READ_MOST;
	return size < IOT_READ_LEAST ? IOT_READ_LEAST : size;
}

struct iot_window *iot_tap_window(struct iot_input *in, size_t member, int fd, bool plain,
				  struct iot_error *error)
{
	struct iot_tap *t = tap_new(in, member, fd);
	if (t == NULL) {
		if (fd >= 0)
			close(fd);
		iot_error_set(error, IOT_ENOMEM, "out of memory");
		return NULL;
	}
	struct iot_window_options options = {.read_size = read_size(in),
					     .plain = plain,
					     .stop = in->stop,
					     .waits = in->member[member].pipe &&
						      in->member[member].size == 0,
					     .why = &t->why,
					     .done = tap_free,
					     .done_context = t};
	struct iot_window *w = iot_window_new(in->member[member].name, &options);
	if (w == NULL) {
		tap_free(t);
		iot_error_set(error, IOT_ENOMEM, "out of memory");
		return NULL;
	}
	t->window = w;
	int status =
	    fd >= 0 ? iot_window_open_fd(w, fd) : iot_window_open_callback(w, read_spool, t);
	if (status == IOT_OK)
		return w;
	*error = *iot_window_error(w);
	iot_window_free(w);
	return NULL;
}

struct iot_window *iot_member_unpacked(struct iot_input *in, size_t member, struct iot_window *raw,
				       enum iot_packing how, struct iot_error *error)
{
	if (raw == NULL || how == IOT_PACKED_NOT || how == IOT_PACKED_WINDOW)
		return raw;
	const struct iot_window_options options = {.read_size = read_size(in)};
	return iot_unpack_window(raw, how, in->member[member].name, &options, error);
}

/* The first raw bytes of a regular file or slice, without moving its position. */
static ssize_t raw_head(const struct iot_input *in, const struct iot_member *m, int fd, char *head)
{
	size_t want = IOT_PACKING_SIZE;
	if (m->spool_at >= 0 && m->size < want)
		want = (size_t)m->size;
	const uint64_t from = m->spool_at >= 0 ? (uint64_t)m->spool_at : 0;
	return iot_file_read(fd >= 0 ? fd : in->spool.fd, head, want, from);
}

struct iot_window *iot_member_open(struct iot_input *in, size_t member, struct iot_error *error)
{
	const struct iot_member *m = &in->member[member];
	char head[IOT_PACKING_SIZE];
	int fd = -1;
	if (m->spool_at < 0) {
		fd = iot_found_open(m->name, &m->identity, m->root_size, &m->root, error);
		if (fd < 0)
			return NULL;
	}
	ssize_t n = raw_head(in, m, fd, head);
	if (n < 0) {
		iot_path_error(error, m->name);
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	enum iot_packing how = iot_packing_of(head, (size_t)n);
	return iot_member_unpacked(in, member,
				   iot_tap_window(in, member, fd, how != IOT_PACKED_WINDOW, error),
				   how, error);
}
