/* SPDX-License-Identifier: BSD-2-Clause */
#include "process_start.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "lib/base/full_io.h"
#include "lib/base/number.h"

enum { FIELD = 22 };

uint64_t process_start(uint32_t pid)
{
	char name[64], line[1024];
	uint64_t start;
	(void)snprintf(name, sizeof(name), "/proc/%" PRIu32 "/stat", pid);
	const int fd = open(name, O_RDONLY | O_CLOEXEC);
	const ssize_t n = fd >= 0 ? full_read(fd, line, sizeof(line) - 1, FULL_IO_CURRENT) : -1;
	if (fd >= 0)
		(void)close(fd);
	line[n > 0 ? n : 0] = '\0';
	const char *p = strrchr(line, ')'); /* the end of field 2 */
	for (int field = 2; p != NULL && field < FIELD; field++)
		p = strchr(p + 1, ' ');
	return p != NULL && number_decimal(p + 1, strcspn(p + 1, " "), &start) ? start : 0;
}
