/* SPDX-License-Identifier: BSD-2-Clause */
#include "tempfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "full_io.h"

const char *tempfile_directory(void)
{
	const char *directory = getenv("TMPDIR");
	return directory != NULL && directory[0] != '\0' ? directory : "/tmp";
}

static int open_named(const char *directory)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/iotrace.XXXXXX", directory);
	if (n < 0 || (size_t)n >= sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	int fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		(void)unlink(path);
	return fd;
}

int tempfile_open(void)
{
	const char *directory = tempfile_directory();
	int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
	return fd >= 0 ? fd : open_named(directory);
}

enum { PAGE = 4096 };

static int open_file(struct tempfile *f)
{
	const char *directory = tempfile_directory();
	f->buf = malloc(TEMPFILE_BUFFER);
	if (f->buf == NULL)
		return error_no_memory(f->error);
	f->fd = tempfile_open();
	if (f->fd >= 0)
		return IOT_OK;
	free(f->buf);
	f->buf = NULL;
	char shown[256];
	return error_system(f->error, errno, "cannot make a temporary file in %s",
			    escape_text(shown, sizeof(shown), directory, strlen(directory)));
}

void tempfile_init(struct tempfile *f, struct error *error)
{
	*f = (struct tempfile){.error = error, .fd = -1};
}

void tempfile_free(struct tempfile *f)
{
	if (f->fd >= 0)
		(void)close(f->fd); /* the contents are no longer needed */
	free(f->buf);
	*f = (struct tempfile){.error = f->error, .fd = -1};
}

static int write_out(struct tempfile *f, const void *data, size_t size)
{
	if (!full_write(f->fd, data, size, f->size)) {
		char shown[256];
		const char *directory = tempfile_directory();
		return error_system(
		    f->error, errno, "cannot write the temporary file in %s",
		    escape_text(shown, sizeof(shown), directory, strlen(directory)));
	}
	f->size += size;
	f->written += size;
	return IOT_OK;
}

int tempfile_flush(struct tempfile *f)
{
	size_t size = f->fill;
	f->fill = 0;
	return size > 0 ? write_out(f, f->buf, size) : IOT_OK;
}

unsigned char *tempfile_reserve(struct tempfile *f, size_t size)
{
	if (f->fd < 0 && open_file(f) != IOT_OK)
		return NULL;
	if (size > TEMPFILE_BUFFER - f->fill && tempfile_flush(f) != IOT_OK)
		return NULL;
	return f->buf + f->fill;
}

int tempfile_append(struct tempfile *f, const void *data, size_t size)
{
	unsigned char *to = tempfile_reserve(f, size < TEMPFILE_BUFFER ? size : TEMPFILE_BUFFER);
	if (to == NULL)
		return f->error->status;
	if (size > TEMPFILE_BUFFER)
		return write_out(f, data, size);
	memcpy(to, data, size);
	f->fill += size;
	return IOT_OK;
}

int tempfile_read(struct tempfile *f, uint64_t offset, void *data, size_t size)
{
	const ssize_t n = full_read(f->fd, data, size, offset);
	if (n >= 0 && (size_t)n == size)
		return IOT_OK;
	return error_system(f->error, n < 0 ? errno : EIO, "cannot read the temporary file");
}

void tempfile_discard(struct tempfile *f, uint64_t from, uint64_t to)
{
	from = (from + PAGE - 1) / PAGE * PAGE;
	to = to / PAGE * PAGE;
	if (f->keeps || from >= to)
		return;
	int how = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
	f->keeps = fallocate(f->fd, how, (off_t)from, (off_t)(to - from)) != 0;
}

void tempfile_discard_all(struct tempfile *f)
{
	if (f->fd >= 0 && tempfile_end(f) > 0 && ftruncate(f->fd, 0) == 0)
		f->size = f->fill = 0;
}
