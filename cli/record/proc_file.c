/* SPDX-License-Identifier: BSD-2-Clause */
#include "proc_file.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/base/full_io.h"

size_t proc_file_read(uint32_t pid, const char *name, char *text, size_t capacity)
{
	char path[64];
	(void)snprintf(path, sizeof(path), "/proc/%" PRIu32 "/%s", pid, name);
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	const ssize_t n = fd >= 0 ? full_read(fd, text, capacity - 1, FULL_IO_CURRENT) : -1;
	if (fd >= 0)
		(void)close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n > 0 ? (size_t)n : 0;
}
