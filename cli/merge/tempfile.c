/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One unlinked temporary file for inputs that were merged before, part after part. However many
 * parts exist, they need one descriptor.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/fdio.h"

#include "merge.h"

struct merge_tempfile {
	int fd;
	uint64_t size; /* written; buffer[0 .. used) follows */
	unsigned char *buffer;
	size_t used;
	uint64_t *end; /* of each part */
	size_t parts, capacity;
	struct error *error;
};

static int failed(struct error *error, int errnum, const char *what)
{
	char shown[256];
	const char *directory = tempfile_directory();
	return error_system(error, errnum, "cannot %s the temporary file for merging in %s", what,
			    escape_text(shown, sizeof shown, directory, strlen(directory)));
}

struct merge_tempfile *merge_tempfile_new(struct error *error)
{
	struct merge_tempfile *s = calloc(1, sizeof *s);
	if (s == NULL)
		return NULL;
	s->error = error;
	s->buffer = malloc(MERGE_TEMPFILE_BUFFER);
	s->fd = s->buffer != NULL ? tempfile_open() : -1;
	if (s->fd >= 0)
		return s;
	if (s->buffer != NULL)
		(void)failed(error, errno, "make");
	merge_tempfile_free(s);
	return NULL;
}

void merge_tempfile_free(struct merge_tempfile *s)
{
	if (s == NULL)
		return;
	if (s->fd >= 0)
		(void)close(s->fd); /* nothing in it is needed any more */
	free(s->buffer);
	free(s->end);
	free(s);
}

static int empty_buffer(struct merge_tempfile *s)
{
	if (!fdio_write(s->fd, s->buffer, s->used, s->size))
		return failed(s->error, errno, "write");
	s->size += s->used;
	s->used = 0;
	return IOT_OK;
}

static int put(struct merge_tempfile *s, const void *data, size_t size)
{
	const unsigned char *from = data;
	while (size > 0) {
		if (s->used == MERGE_TEMPFILE_BUFFER && empty_buffer(s) != IOT_OK)
			return s->error->status;
		size_t capacity = MERGE_TEMPFILE_BUFFER - s->used,
		       n = size < capacity ? size : capacity;
		memcpy(s->buffer + s->used, from, n);
		s->used += n;
		from += n;
		size -= n;
	}
	return IOT_OK;
}

int merge_tempfile_append(struct merge_tempfile *s, const struct iot_event *ev)
{
	if (ev->kind == IOT_RECORD)
		return put(s, &ev->rec, sizeof ev->rec);
	if (ev->text.size > MERGE_TEMPFILE_BUFFER)
		return error_set(s->error, IOT_ELIMIT, "a directive of more than %d bytes",
				 MERGE_TEMPFILE_BUFFER);
	struct merge_tempfile_event e = {
	    .rec = ev->rec, .kind = ev->kind, .has = ev->has, .size = (uint32_t)ev->text.size};
	e.rec.zero = 1;
	int status = put(s, &e, sizeof e);
	return status == IOT_OK && e.size > 0 ? put(s, ev->text.data, e.size) : status;
}

int merge_tempfile_end_part(struct merge_tempfile *s)
{
	if (!array_reserve(&s->end, &s->capacity, s->parts + 1, sizeof *s->end))
		return error_set(s->error, IOT_ENOMEM, "out of memory");
	s->end[s->parts++] = s->size + s->used;
	return empty_buffer(s);
}

size_t merge_tempfile_parts(const struct merge_tempfile *s)
{
	return s->parts;
}

uint64_t merge_tempfile_part(const struct merge_tempfile *s, size_t part, uint64_t *end)
{
	*end = s->end[part];
	return part > 0 ? s->end[part - 1] : 0;
}

const void *merge_tempfile_read(struct merge_source *s, size_t n)
{
	if (n > s->tempfile_have) {
		memmove(s->tempfile_buffer, s->tempfile_buffer + s->tempfile_used,
			s->tempfile_have);
		s->tempfile_used = 0;
	}
	while (n > s->tempfile_have) {
		const uint64_t left = s->tempfile_end - s->tempfile_at;
		size_t capacity = MERGE_TEMPFILE_BUFFER - s->tempfile_have;
		ssize_t got =
		    pread(s->tempfile->fd, s->tempfile_buffer + s->tempfile_have,
			  left < capacity ? (size_t)left : capacity, (off_t)s->tempfile_at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			(void)failed(&s->fault, got < 0 ? errno : EIO, "read");
			return NULL;
		}
		s->tempfile_at += (uint64_t)got;
		s->tempfile_have += (size_t)got;
	}
	const void *data = s->tempfile_buffer + s->tempfile_used;
	s->tempfile_used += n;
	s->tempfile_have -= n;
	return data;
}
