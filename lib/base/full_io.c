/* SPDX-License-Identifier: BSD-2-Clause */
#include "full_io.h"

#include <errno.h>
#include <unistd.h>

ssize_t full_read(int fd, void *to, size_t size, uint64_t at)
{
	char *next = to;
	size_t done = 0;
	while (done < size) {
		ssize_t n = at == FULL_IO_CURRENT
				? read(fd, next + done, size - done)
				: pread(fd, next + done, size - done, (off_t)(at + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

bool full_write(int fd, const void *from, size_t size, uint64_t at)
{
	const char *next = from;
	size_t done = 0;
	while (done < size) {
		ssize_t n = at == FULL_IO_CURRENT
				? write(fd, next + done, size - done)
				: pwrite(fd, next + done, size - done, (off_t)(at + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0)
			errno = ENOSPC;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}
