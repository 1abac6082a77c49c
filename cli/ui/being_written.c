/* SPDX-License-Identifier: BSD-2-Clause */
#include "being_written.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

bool being_written(int fd)
{
	struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
	return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

bool being_written_at(const char *path)
{
	if (strcmp(path, "-") == 0)
		return being_written(STDIN_FILENO);
	const int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	const bool written = fd >= 0 && being_written(fd);
	if (fd >= 0)
		(void)close(fd);
	return written;
}
