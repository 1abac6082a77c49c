/* SPDX-License-Identifier: BSD-2-Clause */
/* Operations on files and their space. */
#include <linux/fs.h>
#include <stdarg.h>

#include "wrap.h"

/* end: operation_end, or operation_end_error for a function that returns the error. */
#define ON_DESCRIPTOR_END(end, type, name, op, parameters, arguments)                              \
	EXPORT type name parameters                                                                \
	{                                                                                          \
		struct operation_call o;                                                           \
		if (!operation_begin(&o, op))                                                      \
			return real.name arguments;                                                \
		operation_on(&o, fd);                                                              \
		return (type)end(&o, real.name arguments);                                         \
	}

#define ON_DESCRIPTOR(...)       ON_DESCRIPTOR_END(operation_end, int, __VA_ARGS__)
#define ON_DESCRIPTOR_ERROR(...) ON_DESCRIPTOR_END(operation_end_error, int, __VA_ARGS__)

ON_DESCRIPTOR(fsync, RECORD_OP_FSYNC, (int fd), (fd))
ON_DESCRIPTOR(fdatasync, RECORD_OP_FSYNC, (int fd), (fd))
ON_DESCRIPTOR(syncfs, RECORD_OP_SYNC, (int fd), (fd))
ON_DESCRIPTOR(sync_file_range, RECORD_OP_FSYNC,
	      (int fd, off_t offset, off_t length, unsigned flags), (fd, offset, length, flags))
ON_DESCRIPTOR(fallocate, RECORD_OP_ALLOCATE, (int fd, int mode, off_t offset, off_t length),
	      (fd, mode, offset, length))
ON_DESCRIPTOR(flock, RECORD_OP_LOCK, (int fd, int how), (fd, how))
ON_DESCRIPTOR(lockf, RECORD_OP_LOCK, (int fd, int how, off_t length), (fd, how, length))
ON_DESCRIPTOR_ERROR(posix_fallocate, RECORD_OP_ALLOCATE, (int fd, off_t offset, off_t length),
		    (fd, offset, length))
ON_DESCRIPTOR_ERROR(posix_fadvise, RECORD_OP_ADVISE,
		    (int fd, off_t offset, off_t length, int advice), (fd, offset, length, advice))
ON_DESCRIPTOR_END(operation_end, ssize_t, readahead, RECORD_OP_READAHEAD,
		  (int fd, off_t offset, size_t length), (fd, offset, length))

EXPORT void sync(void)
{
	struct operation_call o;
	const bool recorded = operation_begin(&o, RECORD_OP_SYNC);
	real.sync();
	if (recorded)
		operation_end(&o, 0);
}

EXPORT int truncate(const char *path, off_t size)
{
	struct operation_call o;
	if (!operation_begin(&o, RECORD_OP_TRUNCATE))
		return real.truncate(path, size);
	operation_on_path(&o, AT_FDCWD, path);
	o.event.size = size;
	return (int)operation_end(&o, real.truncate(path, size));
}

EXPORT int ftruncate(int fd, off_t size)
{
	struct operation_call o;
	if (!operation_begin(&o, RECORD_OP_TRUNCATE))
		return real.ftruncate(fd, size);
	operation_on(&o, fd);
	o.event.size = size;
	return (int)operation_end(&o, real.ftruncate(fd, size));
}

/* Clones share blocks of another file. */
EXPORT int ioctl(int fd, unsigned long request, ...)
{
	struct operation_call o;
	va_list list;
	va_start(list, request);
	void *const argument = va_arg(list, void *);
	va_end(list);
	if ((request != FICLONE && request != FICLONERANGE) ||
	    !operation_begin(&o, RECORD_OP_CLONE))
		return real.ioctl(fd, request, argument);
	operation_on(&o, fd);
	return (int)operation_end(&o, real.ioctl(fd, request, argument));
}

ALIAS(ftruncate64, ftruncate);
ALIAS(truncate64, truncate);
ALIAS(fallocate64, fallocate);
ALIAS(lockf64, lockf);
ALIAS(posix_fallocate64, posix_fallocate);
ALIAS(posix_fadvise64, posix_fadvise);
