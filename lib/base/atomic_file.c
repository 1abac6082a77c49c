/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Temporary names, and the kinds of files a path may refer to: a file, a link to one, a FIFO, a
 * device.
 */
#include "atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	LINKS_MAX = 40,
	TEMPORARY_TRIES = 100,
	/* bytes of the target's name to include, to stay below NAME_MAX */
	TEMPORARY_NAME_PART = 200,
};

static size_t directory_size(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Returns NULL if out of memory. */
static char *directory_of(const char *path)
{
	const size_t size = directory_size(path);

	return size > 0 ? strndup(path, size) : strdup(".");
}

/*
 * Returns the target of the symbolic link `path`, relative to the current directory; NULL with
 * errno set on failure.
 */
static char *follow_link(const char *path)
{
	char link[PATH_MAX];
	const ssize_t size = readlink(path, link, sizeof(link));
	size_t directory = directory_size(path);
	char *target;

	if (size < 0)
		return NULL;
	if ((size_t)size == sizeof(link)) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	if (link[0] == '/')
		directory = 0;
	target = malloc(directory + (size_t)size + 1);
	if (!target)
		return NULL;
	memcpy(target, path, directory);
	memcpy(target + directory, link, (size_t)size);
	target[directory + (size_t)size] = '\0';
	return target;
}

/*
 * Returns the file to be replaced, which may not exist yet. Links are kept, including dangling ones
 * (which realpath would reject). With `own`, fails with EPERM if a link or the file belongs to
 * another user.
 */
static char *follow_links(const char *path, bool own)
{
	char *at = strdup(path);

	for (int i = 0; at && i < LINKS_MAX; i++) {
		struct stat st;
		char *next;
		const bool there = lstat(at, &st) == 0;

		if (there && own && st.st_uid != geteuid()) {
			free(at);
			errno = EPERM;
			return NULL;
		}
		if (!there || !S_ISLNK(st.st_mode))
			return at;
		next = follow_link(at);
		free(at);
		at = next;
	}
	if (at)
		errno = ELOOP;
	free(at);
	return NULL;
}

char *atomic_file_target(const char *path)
{
	return follow_links(path, false);
}

/* Returns ".NAME.XXXXXX" in the target's directory, with six random characters. */
static char *temporary_name(const char *target)
{
	static const char letters[] =
	    "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	const int directory = (int)directory_size(target);
	unsigned char random[6];
	char tail[sizeof(random) + 1] = "";
	char *path;

	if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return NULL;
	for (size_t i = 0; i < sizeof(random); i++)
		tail[i] = letters[random[i] % (sizeof(letters) - 1)];
	if (asprintf(&path, "%.*s.%.*s.%s", directory, target, TEMPORARY_NAME_PART,
		     target + directory, tail) < 0)
		return NULL;
	return path;
}

enum { FD_PATH = 40 };

static const char *fd_path(char path[FD_PATH], int fd)
{
	snprintf(path, FD_PATH, "/proc/self/fd/%d", fd);
	return path;
}

/*
 * An unlinked file vanishes with the process, however that ends. It is later linked to a name
 * through /proc; if /proc or the file system does not support that, a named file is used from the
 * start.
 */
static bool create_unlinked(struct atomic_file *f, mode_t mode)
{
	char *directory = directory_of(f->target);
	char path[FD_PATH];
	const int fd = directory ? open(directory, O_WRONLY | O_TMPFILE | O_CLOEXEC, mode) : -1;

	free(directory);
	if (fd < 0)
		return false;
	if (access(fd_path(path, fd), F_OK) != 0) {
		close(fd);
		return false;
	}
	f->fd = fd;
	f->open = f->unlinked = true;
	return true;
}

static void link_temporary(struct atomic_file *f, const char *name, struct error *e)
{
	char path[FD_PATH];

	for (int i = 0; i < TEMPORARY_TRIES && !f->temporary; i++) {
		char *temporary = temporary_name(f->target);

		if (temporary && linkat(AT_FDCWD, fd_path(path, f->fd), AT_FDCWD, temporary,
					AT_SYMLINK_FOLLOW) == 0)
			f->temporary = temporary;
		else
			free(temporary);
		if (!f->temporary && errno != EEXIST)
			break;
	}
	if (!f->temporary)
		error_system(e, errno, "%s: a file cannot take this name", name);
}

/* Reports that `path` cannot be created: why, unless its directory does not exist. */
static int refuse_creation(const char *path, int errnum, const char *why, const char *name,
			   struct error *e)
{
	char directory[256];
	const size_t size = directory_size(path);

	if (errnum != ENOENT || size <= 1)
		return error_system(e, errnum, "%s: %s", name, why);
	return error_set(e, IOT_EIO, "%s: directory %s does not exist", name,
			 escape_text(directory, sizeof(directory), path, size - 1));
}

/*
 * mkostemp would create the file with mode 0600, and the umask cannot be read without changing it
 * for all threads; so open is used with names generated here.
 */
static int create_temporary(struct atomic_file *f, mode_t mode, const char *name, struct error *e)
{
	if (create_unlinked(f, mode))
		return IOT_OK;
	for (int i = 0; i < TEMPORARY_TRIES; i++) {
		char *path = temporary_name(f->target);
		const int fd =
		    path ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode) : -1;

		if (fd >= 0) {
			f->temporary = path;
			f->fd = fd;
			f->open = true;
			return IOT_OK;
		}
		free(path);
		if (errno != EEXIST)
			break;
	}
	return refuse_creation(f->target, errno,
			       "cannot create a temporary file in the same directory", name, e);
}

/*
 * A replaced file passes its mode on; until then no other user can open the new file. A private
 * file does not inherit a mode, so that other users who could read the old file cannot read the new
 * one.
 */
static int open_alongside(struct atomic_file *f, const char *path, const struct stat *existing,
			  const char *name, struct error *e)
{
	f->target = follow_links(path, f->private);
	if (!f->target && f->private && errno == EPERM)
		return error_set(e, IOT_EIO,
				 "%s: belongs to another user, or is a link that does; a private "
				 "file is not written there",
				 name);
	if (!f->target)
		return error_system(e, errno, "%s: cannot be opened", name);
	if (f->target[directory_size(f->target)] == '\0')
		return error_system(e, *path ? EISDIR : ENOENT, "%s: cannot be opened", name);
	if (create_temporary(f, existing || f->private ? 0600 : 0666, name, e) != IOT_OK)
		return e->status;
	if (existing && !f->private && fchmod(f->fd, existing->st_mode & 0777) != 0)
		return error_system(e, errno, "%s: cannot keep its mode", name);
	return IOT_OK;
}

static int open_directly(struct atomic_file *f, const char *path, const char *name, struct error *e)
{
	f->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (f->fd < 0)
		return error_system(e, errno, "%s: cannot be opened", name);
	f->open = true;
	return IOT_OK;
}

/* Shows readers that the file grows; file systems without locks do without. */
static void lock(int fd)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	(void)fcntl(fd, F_OFD_SETLK, &lock);
}

static int open_in_place(struct atomic_file *f, const char *path, unsigned how, const char *name,
			 struct error *e)
{
	const int new = (how & ATOMIC_FILE_NEW) != 0 ? O_EXCL | O_NOFOLLOW : O_TRUNC;
	f->fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | new, 0666);
	if (f->fd < 0)
		return refuse_creation(path, errno, "cannot be opened", name, e);
	lock(f->fd);
	f->open = f->in_place = true;
	return IOT_OK;
}

static int open_path(struct atomic_file *f, const char *path, const char *name, struct error *e)
{
	struct stat st;

	if (stat(path, &st) != 0) {
		if (errno != ENOENT)
			return error_system(e, errno, "%s: cannot be opened", name);
		return open_alongside(f, path, NULL, name, e);
	}
	if (S_ISDIR(st.st_mode))
		return error_system(e, EISDIR, "%s: cannot be written", name);
	return S_ISREG(st.st_mode) ? open_alongside(f, path, &st, name, e)
				   : open_directly(f, path, name, e);
}

int atomic_file_open(struct atomic_file *f, const char *path, unsigned how, const char *name,
		     struct error *e)
{
	f->private = (how & ATOMIC_FILE_PRIVATE) != 0;
	f->sync = (how & ATOMIC_FILE_NO_SYNC) == 0;
	if (how & ATOMIC_FILE_IN_PLACE)
		(void)open_in_place(f, path, how, name, e);
	else
		(void)open_path(f, path, name, e);
	if (e->status != IOT_OK)
		atomic_file_drop(f);
	return e->status;
}

/* Some file systems do not support fsync; then it is skipped. */
static bool sync_descriptor(int fd)
{
	int status;

	do
		status = fsync(fd);
	while (status != 0 && errno == EINTR);
	return status == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS;
}

/*
 * Opens the directory for fsync, because the name is on disk only with the directory. A directory
 * that is writable but not readable cannot be opened for that: returns -1 without an error, as the
 * file itself is complete.
 */
static int open_directory(const struct atomic_file *f, const char *name, struct error *e)
{
	char *directory = directory_of(f->target);
	const int fd = directory ? open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (!directory || (fd < 0 && errno != EACCES))
		error_system(e, errno, "%s: its directory cannot be opened", name);
	free(directory);
	return fd;
}

static void rename_temporary(struct atomic_file *f, const char *name, struct error *e)
{
	const int directory = f->sync ? open_directory(f, name, e) : -1;

	if (e->status != IOT_OK) {
		return;
	} else if (rename(f->temporary, f->target) != 0) {
		error_system(e, errno, "%s: a file cannot take this name", name);
	} else {
		free(f->temporary);
		f->temporary = NULL;
		if (directory >= 0 && !sync_descriptor(directory))
			error_system(e, errno, "%s: its directory cannot be written", name);
	}
	if (directory >= 0)
		close(directory);
}

int atomic_file_commit(struct atomic_file *f, const char *name, struct error *e)
{
	/* Syncs before the rename, so that the name never refers to a partial file. */
	if (f->open && (f->target || f->in_place) && f->sync && e->status == IOT_OK &&
	    !sync_descriptor(f->fd))
		error_system(e, errno, "%s: cannot be written", name);
	if (f->open && f->unlinked && f->target && e->status == IOT_OK)
		link_temporary(f, name, e);
	/* EINTR: Linux has closed the descriptor nevertheless. */
	if (f->open && close(f->fd) != 0 && errno != EINTR)
		error_system(e, errno, "%s: cannot be written", name);
	f->open = false;
	if (f->temporary && f->target && e->status == IOT_OK)
		rename_temporary(f, name, e);
	atomic_file_drop(f);
	return e->status;
}

void atomic_file_drop(struct atomic_file *f)
{
	if (f->open)
		close(f->fd);
	if (f->temporary)
		unlink(f->temporary);
	free(f->temporary);
	free(f->target);
	*f = (struct atomic_file){0};
}
