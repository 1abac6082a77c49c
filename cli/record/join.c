/* SPDX-License-Identifier: BSD-2-Clause */
#include "join.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/tempfile.h"

bool join_is_name(const char *name)
{
	const size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789-_.");
	return n >= 1 && n <= 64 && name[n] == '\0' && name[0] != '.';
}

/*
 * Waits for the lock. Returns false if the file has been removed in the meantime, or is not ours.
 */
static bool lock_current(struct join *j)
{
	struct stat own, current;
	while (flock(j->fd, LOCK_EX) != 0)
		if (errno != EINTR)
			return false;
	if (fstat(j->fd, &own) != 0)
		return false;
	if (!S_ISREG(own.st_mode) || own.st_uid != geteuid() || (own.st_mode & 077) != 0) {
		errno = EPERM;
		return false;
	}
	const bool exists = lstat(j->path, &current) == 0;
	errno = ENOENT;
	return exists && own.st_dev == current.st_dev && own.st_ino == current.st_ino;
}

static bool open_in(struct join *j, const char *directory, const char *name)
{
	const int n = directory != NULL && directory[0] == '/'
			  ? snprintf(j->path, sizeof(j->path), "%s/iotrace-join-%lu-%s", directory,
				     (unsigned long)geteuid(), name)
			  : -1;
	errno = ENOENT;
	if (n < 0 || (size_t)n >= sizeof(j->path) || access(directory, W_OK | X_OK) != 0)
		return false;
	do {
		j->fd = open(j->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
		if (j->fd < 0)
			return false;
		if (lock_current(j))
			return true;
		const int errnum = errno;
		(void)close(j->fd);
		j->fd = -1;
		errno = errnum;
	} while (errno == ENOENT);
	return false;
}

bool join_open(struct join *j, const char *name, char recording[PATH_MAX])
{
	const char *const directories[] = {getenv("XDG_RUNTIME_DIR"), "/dev/shm",
					   tempfile_directory()};
	bool found = false;
	j->fd = -1;
	/* a file that exists but cannot be used is an error: others would choose it */
	for (size_t i = 0; i < 3 && !found; i++) {
		found = open_in(j, directories[i], name);
		if (!found && errno != ENOENT && errno != EACCES)
			return false;
	}
	if (!found)
		return false;
	const ssize_t n = pread(j->fd, recording, PATH_MAX - 1, 0);
	recording[n > 0 ? n : 0] = '\0';
	return true;
}

bool join_publish(struct join *j, const char *recording)
{
	const size_t n = strlen(recording);
	const bool written =
	    ftruncate(j->fd, 0) == 0 && pwrite(j->fd, recording, n, 0) == (ssize_t)n;
	if (written)
		join_unlock(j);
	return written;
}

void join_lock(struct join *j)
{
	while (flock(j->fd, LOCK_EX) != 0 && errno == EINTR)
		;
}

void join_unlock(struct join *j)
{
	(void)flock(j->fd, LOCK_UN);
}

void join_close(struct join *j, bool remove)
{
	if (j->fd < 0)
		return;
	if (remove)
		(void)unlink(j->path);
	join_unlock(j); /* a child that has been forked has the descriptor, too */
	(void)close(j->fd);
	j->fd = -1;
}
