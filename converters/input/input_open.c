/* SPDX-License-Identifier: BSD-2-Clause */
/* Open members: their raw bytes, which are counted, and the bufreaders on top. */
#include "input_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/base/fdio.h"

enum {
	READ_TOTAL = 16 << 20, /* shared by the bufreaders of all members */
	READ_MAX = 1 << 20,    /* of one bufreader */
	READ_MIN = 4096,
};

uint64_t tap_position(const struct tap *t)
{
	if (t->fd < 0)
		return t->at;
	off_t at = lseek(t->fd, 0, SEEK_CUR);
	if (at >= 0)
		return (uint64_t)at;
	return t->bufreader != NULL ? bufreader_stored(t->bufreader) : 0;
}

static void tap_free(void *context)
{
	struct tap *t = context;
	struct input *in = t->in;
	in->member[t->member].done = tap_position(t);
	in->done += in->member[t->member].done;
	if (t->fd >= 0)
		close(t->fd);
	*t->link = t->next;
	if (t->next != NULL)
		t->next->link = t->link;
	free(t);
}

/* Takes ownership of fd, which is -1 for a slice of the temporary file. */
static struct tap *tap_new(struct input *in, size_t member, int fd)
{
	struct tap *t = calloc(1, sizeof(*t));
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

static ssize_t read_tempfile(void *context, void *buffer, size_t size)
{
	struct tap *t = context;
	const struct member *m = &t->in->member[t->member];
	uint64_t left = m->size - t->at;
	ssize_t n = 0;
	if (left > 0)
		n = fdio_read(t->in->tempfile.fd, buffer, size < left ? size : (size_t)left,
			      (uint64_t)m->tempfile_at + t->at);
	if (n > 0)
		t->at += (uint64_t)n;
	if (left == 0 && m->fault != NULL) {
		t->why = *m->fault;
		errno = EIO;
		return -1;
	}
	return n;
}

static size_t read_size(const struct input *in)
{
	if (in->read_size > 0)
		return in->read_size;
	if (in->looking)
		return INPUT_HEAD_SIZE;
	size_t size = in->count > 0 ? (size_t)READ_TOTAL / in->count : READ_MAX;
	if (size > READ_MAX)
		return READ_MAX;
	return size < READ_MIN ? READ_MIN : size;
}

struct bufreader *tap_bufreader(struct input *in, size_t member, int fd, bool plain,
				struct error *error)
{
	struct tap *t = tap_new(in, member, fd);
	if (t == NULL) {
		if (fd >= 0)
			close(fd);
		error_set(error, IOT_ENOMEM, "out of memory");
		return NULL;
	}
	struct bufreader_options options = {.read_size = read_size(in),
					    .plain = plain,
					    .stop = in->stop,
					    .waits = in->member[member].pipe &&
						     in->member[member].size == 0,
					    .why = &t->why,
					    .done = tap_free,
					    .done_context = t};
	struct bufreader *w = bufreader_new(in->member[member].name, &options);
	if (w == NULL) {
		tap_free(t);
		error_set(error, IOT_ENOMEM, "out of memory");
		return NULL;
	}
	t->bufreader = w;
	int status =
	    fd >= 0 ? bufreader_open_fd(w, fd) : bufreader_open_callback(w, read_tempfile, t);
	if (status == IOT_OK)
		return w;
	*error = *bufreader_error(w);
	bufreader_free(w);
	return NULL;
}

struct bufreader *member_decompressed(struct input *in, size_t member, struct bufreader *raw,
				      enum compression_layer how, struct error *error)
{
	if (raw == NULL || how == COMPRESSION_LAYER_NONE || how == COMPRESSION_LAYER_BUFREADER)
		return raw;
	const struct bufreader_options options = {.read_size = read_size(in)};
	return decompress_bufreader(raw, how, in->member[member].name, &options, error);
}

/* Reads the first raw bytes of a regular file or slice without moving its position. */
static ssize_t raw_head(const struct input *in, const struct member *m, int fd, char *head)
{
	size_t want = COMPRESSION_MAGIC_SIZE;
	if (m->tempfile_at >= 0 && m->size < want)
		want = (size_t)m->size;
	const uint64_t from = m->tempfile_at >= 0 ? (uint64_t)m->tempfile_at : 0;
	return fdio_read(fd >= 0 ? fd : in->tempfile.fd, head, want, from);
}

struct bufreader *member_open(struct input *in, size_t member, struct error *error)
{
	const struct member *m = &in->member[member];
	char head[COMPRESSION_MAGIC_SIZE];
	int fd = -1;
	if (m->tempfile_at < 0) {
		fd = found_open(m->name, &m->identity, m->root_size, &m->root, error);
		if (fd < 0)
			return NULL;
	}
	ssize_t n = raw_head(in, m, fd, head);
	if (n < 0) {
		input_path_error(error, m->name);
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	enum compression_layer how = compression_layer_of(head, (size_t)n);
	return member_decompressed(
	    in, member, tap_bufreader(in, member, fd, how != COMPRESSION_LAYER_BUFREADER, error),
	    how, error);
}
