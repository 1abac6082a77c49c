/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The spool: one temporary file without a name, in which inputs lie that were merged before, part
 * after part. However many there are, they need one descriptor.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/fdio.h"

#include "merge.h"

struct iot_spool {
	int fd;
	uint64_t size; /* written; buffer[0 .. used) comes behind it */
	unsigned char *buffer;
	size_t used;
	uint64_t *end; /* of each part */
	size_t parts, room;
	struct iot_error *error;
};

static int failed(struct iot_error *error, int errnum, const char *what)
{
	char shown[256];
	const char *folder = iot_temporary_folder();
	return iot_error_system(error, errnum, "cannot %s the temporary file for merging in %s",
				what, iot_escape(shown, sizeof shown, folder, strlen(folder)));
}

struct iot_spool *iot_spool_new(struct iot_error *error)
{
	struct iot_spool *s = calloc(1, sizeof *s);
	if (s == NULL)
		return NULL;
	s->error = error;
	s->buffer = malloc(IOT_SPOOL_BUFFER);
	s->fd = s->buffer != NULL ? iot_temporary_file() : -1;
	if (s->fd >= 0)
		return s;
	if (s->buffer != NULL)
		(void)failed(error, errno, "make");
	iot_spool_free(s);
	return NULL;
}

void iot_spool_free(struct iot_spool *s)
{
	if (s == NULL)
		return;
	if (s->fd >= 0)
		(void)close(s->fd); /* nothing in it is needed any more */
	free(s->buffer);
	free(s->end);
	free(s);
}

static int empty_buffer(struct iot_spool *s)
{
	if (!iot_file_write(s->fd, s->buffer, s->used, s->size))
		return failed(s->error, errno, "write");
	s->size += s->used;
	s->used = 0;
	return IOT_OK;
}

static int put(struct iot_spool *s, const void *data, size_t size)
{
	const unsigned char *from = data;
	while (size > 0) {
		if (s->used == IOT_SPOOL_BUFFER && empty_buffer(s) != IOT_OK)
			return s->error->status;
		size_t room = IOT_SPOOL_BUFFER - s->used, n = size < room ? size : room;
		memcpy(s->buffer + s->used, from, n);
		s->used += n;
		from += n;
		size -= n;
	}
	return IOT_OK;
}

int iot_spool_put(struct iot_spool *s, const struct iot_event *ev)
{
	if (ev->kind == IOT_RECORD)
		return put(s, &ev->rec, sizeof ev->rec);
	if (ev->text.size > IOT_SPOOL_BUFFER)
		return iot_error_set(s->error, IOT_ELIMIT, "a directive of more than %d bytes",
				     IOT_SPOOL_BUFFER);
	struct iot_spooled e = {
	    .rec = ev->rec, .kind = ev->kind, .has = ev->has, .size = (uint32_t)ev->text.size};
	e.rec.zero = 1;
	int status = put(s, &e, sizeof e);
	return status == IOT_OK && e.size > 0 ? put(s, ev->text.data, e.size) : status;
}

int iot_spool_end_part(struct iot_spool *s)
{
	uint64_t *fitted = iot_map_fit(s->end, &s->room, s->parts, sizeof *s->end);
	if (fitted == NULL)
		return iot_error_set(s->error, IOT_ENOMEM, "out of memory");
	s->end = fitted;
	s->end[s->parts++] = s->size + s->used;
	return empty_buffer(s);
}

size_t iot_spool_parts(const struct iot_spool *s)
{
	return s->parts;
}

uint64_t iot_spool_part(const struct iot_spool *s, size_t part, uint64_t *end)
{
	*end = s->end[part];
	return part > 0 ? s->end[part - 1] : 0;
}

const void *iot_spool_read(struct iot_merge_source *s, size_t n)
{
	if (n > s->spool_have) {
		memmove(s->spool_buffer, s->spool_buffer + s->spool_used, s->spool_have);
		s->spool_used = 0;
	}
	while (n > s->spool_have) {
		const uint64_t left = s->spool_end - s->spool_at;
		size_t room = IOT_SPOOL_BUFFER - s->spool_have;
		ssize_t got = pread(s->spool->fd, s->spool_buffer + s->spool_have,
				    left < room ? (size_t)left : room, (off_t)s->spool_at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			(void)failed(&s->fault, got < 0 ? errno : EIO, "read");
			return NULL;
		}
		s->spool_at += (uint64_t)got;
		s->spool_have += (size_t)got;
	}
	const void *data = s->spool_buffer + s->spool_used;
	s->spool_used += n;
	s->spool_have -= n;
	return data;
}
