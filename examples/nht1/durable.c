/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "die.h"
#include "durable.h"

void sync_file(int fd, const char *path)
{
	if (fsync(fd) != 0)
		die_errno(path, "fsync");
}

void sync_directory(const char *path)
{
	char *copy = strdup(path);
	if (copy == NULL)
		die("out of memory");
	const int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		die_errno(path, "open its directory");
	sync_file(fd, path);
	close(fd);
	free(copy);
}
