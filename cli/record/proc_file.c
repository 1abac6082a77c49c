/* SPDX-License-Identifier: BSD-2-Clause */
#include "proc_file.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/full_io.h"
#include "lib/base/number.h"

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

uint64_t process_start(uint32_t pid)
{
	enum { FIELD = 22 };
	char line[1024];
	uint64_t start;
	(void)proc_file_read(pid, "stat", line, sizeof(line));
	const char *p = strrchr(line, ')'); /* the end of field 2 */
	for (int field = 2; p != NULL && field < FIELD; field++)
		p = strchr(p + 1, ' ');
	return p != NULL && number_decimal(p + 1, strcspn(p + 1, " "), &start) ? start : 0;
}
