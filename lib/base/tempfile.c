/* SPDX-License-Identifier: BSD-2-Clause */
#include "tempfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fdio.h"

enum { PAGE = 4096 };

static int open_file(struct iot_spill *f)
{
	const char *folder = iot_temporary_folder();
	f->buf = malloc(IOT_SPILL_BUFFER);
	if (f->buf == NULL)
		return iot_error_set(f->error, IOT_ENOMEM, "out of memory");
	f->fd = iot_temporary_file();
	if (f->fd >= 0)
		return IOT_OK;
	free(f->buf);
	f->buf = NULL;
	char shown[256];
	return iot_error_system(f->error, errno, "cannot make a temporary file in %s",
				iot_escape(shown, sizeof(shown), folder, strlen(folder)));
}

void iot_spill_init(struct iot_spill *f, struct iot_error *error)
{
	*f = (struct iot_spill){.error = error, .fd = -1};
}

void iot_spill_free(struct iot_spill *f)
{
	if (f->fd >= 0)
		(void)close(f->fd); /* nothing in it is needed any more */
	free(f->buf);
	*f = (struct iot_spill){.error = f->error, .fd = -1};
}

static int write_out(struct iot_spill *f, const void *data, size_t size)
{
	if (!iot_file_write(f->fd, data, size, f->size)) {
		char shown[256];
		const char *folder = iot_temporary_folder();
		return iot_error_system(f->error, errno,
					"cannot write the temporary file in %s",
					iot_escape(shown, sizeof(shown), folder, strlen(folder)));
	}
	f->size += size;
	f->written += size;
	return IOT_OK;
}

int iot_spill_flush(struct iot_spill *f)
{
	size_t size = f->fill;
	f->fill = 0;
	return size > 0 ? write_out(f, f->buf, size) : IOT_OK;
}

unsigned char *iot_spill_room(struct iot_spill *f, size_t size)
{
	if (f->fd < 0 && open_file(f) != IOT_OK)
		return NULL;
	if (size > IOT_SPILL_BUFFER - f->fill && iot_spill_flush(f) != IOT_OK)
		return NULL;
	return f->buf + f->fill;
}

int iot_spill_put(struct iot_spill *f, const void *data, size_t size)
{
	unsigned char *to = iot_spill_room(f, size < IOT_SPILL_BUFFER ? size : IOT_SPILL_BUFFER);
	if (to == NULL)
		return f->error->status;
	if (size > IOT_SPILL_BUFFER)
		return write_out(f, data, size);
	memcpy(to, data, size);
	f->fill += size;
	return IOT_OK;
}

int iot_spill_read(struct iot_spill *f, uint64_t offset, void *data, size_t size)
{
	const ssize_t n = iot_file_read(f->fd, data, size, offset);
	if (n >= 0 && (size_t)n == size)
		return IOT_OK;
	return iot_error_system(f->error, n < 0 ? errno : EIO,
				"cannot read the temporary file");
}

void iot_spill_forget(struct iot_spill *f, uint64_t from, uint64_t to)
{
	from = (from + PAGE - 1) / PAGE * PAGE;
	to = to / PAGE * PAGE;
	if (f->keeps || from >= to)
		return;
	int how = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
	f->keeps = fallocate(f->fd, how, (off_t)from, (off_t)(to - from)) != 0;
}

void iot_spill_forget_all(struct iot_spill *f)
{
	if (f->fd >= 0 && iot_spill_end(f) > 0 && ftruncate(f->fd, 0) == 0)
		f->size = f->fill = 0;
}
