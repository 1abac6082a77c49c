/* SPDX-License-Identifier: BSD-2-Clause */
/* Files below a directory, and the spool: see folder.h. */
#include "directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/fdio.h"
#include "lib/base/array.h"

enum { SHOWN_MAX = 512 };

int iot_path_error(struct iot_error *error, const char *path)
{
	int errnum = errno;
	char shown[SHOWN_MAX];
	return iot_error_system(error, errnum, "%s: cannot be opened",
				iot_escape(shown, sizeof(shown), path, strlen(path)));
}

static int out_of_memory(struct iot_error *error)
{
	return iot_error_set(error, IOT_ENOMEM, "out of memory");
}

/* Identity */

struct iot_identity iot_identity_of(const struct stat *st)
{
	return (struct iot_identity){st->st_dev, st->st_ino};
}

static bool is_same(const struct stat *st, const struct iot_identity *identity)
{
	return st->st_dev == identity->device && st->st_ino == identity->inode;
}

/* Another file has taken the place of one that was examined. */
static int replaced(struct iot_error *error, const char *path)
{
	char shown[SHOWN_MAX];
	return iot_error_set(error, IOT_EIO, "%s: was replaced by another file in the meantime",
			     iot_escape(shown, sizeof(shown), path, strlen(path)));
}

/* Opening */

enum {
	OPEN_FILE = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
	OPEN_FOLDER = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_DIRECTORY,
};

/* Opens `rest` below the directory fd, which is closed, component by component. */
static int open_below(int fd, const char *rest)
{
	while (fd >= 0) {
		char name[NAME_MAX + 1];
		const size_t size = strcspn(rest, "/");
		const bool last = rest[size] == '\0';
		if (size > NAME_MAX) {
			close(fd);
			errno = ENAMETOOLONG;
			return -1;
		}
		memcpy(name, rest, size);
		name[size] = '\0';
		const int next = openat(fd, name, (last ? OPEN_FILE : OPEN_FOLDER) | O_NOFOLLOW);
		const int errnum = errno;
		close(fd);
		errno = errnum;
		if (last)
			return next;
		fd = next;
		rest += size + strspn(rest + size, "/");
	}
	return fd;
}

/* The directory at path[0 .. size), if it is the one that was searched. */
static int open_root(const char *path, size_t size, const struct iot_identity *root)
{
	struct stat st;
	char *name = strndup(path, size);
	const int fd = name != NULL ? open(name, OPEN_FOLDER) : -1;
	free(name);
	if (fd < 0 || (fstat(fd, &st) == 0 && is_same(&st, root)))
		return fd;
	close(fd);
	errno = ESTALE;
	return -1;
}

int iot_found_open(const char *path, const struct iot_identity *identity, size_t root_size,
		   const struct iot_identity *root, struct iot_error *error)
{
	struct stat st;
	int fd;
	if (root_size > 0)
		fd = open_below(open_root(path, root_size, root),
				path + root_size + strspn(path + root_size, "/"));
	else
		fd = open(path, OPEN_FILE);
	if (fd < 0 && (errno == ESTALE || errno == ELOOP || errno == ENOTDIR))
		(void)replaced(error, path);
	else if (fd < 0)
		(void)iot_path_error(error, path);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && is_same(&st, identity))
		return fd;
	close(fd);
	(void)replaced(error, path);
	return -1;
}

/* Folders */

static int keep(struct iot_folder *f, const char *path, const struct stat *st,
		struct iot_error *error)
{
	if (f->count == f->most)
		return iot_error_set(error, IOT_ELIMIT, "more than %zu files", f->most);
	if (!iot_room(&f->found, &f->room, f->count + 1, sizeof(*f->found)))
		return out_of_memory(error);
	struct iot_found *new = &f->found[f->count];
	*new = (struct iot_found){
	    .path = strdup(path), .size = (uint64_t)st->st_size, .identity = iot_identity_of(st)};
	if (new->path == NULL)
		return out_of_memory(error);
	f->count++;
	return IOT_OK;
}

static int search(struct iot_folder *f, int fd, const char *folder, unsigned depth,
		  struct iot_error *error);

/* An entry `name` of the directory fd, which the user knows as `path`. */
static int search_entry(struct iot_folder *f, int fd, const char *name, const char *path,
			unsigned depth, struct iot_error *error)
{
	struct stat st;
	if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return iot_path_error(error, path);
	if (S_ISDIR(st.st_mode))
		return search(f, openat(fd, name, OPEN_FOLDER | O_NOFOLLOW), path, depth + 1,
			      error);
	if (S_ISREG(st.st_mode))
		return keep(f, path, &st, error);
	f->skipped++;
	return IOT_OK;
}

static char *join(const char *folder, const char *name)
{
	size_t n = strlen(folder), m = strlen(name);
	char *path = malloc(n + m + 2);
	if (path == NULL)
		return NULL;
	memcpy(path, folder, n);
	if (n > 0 && path[n - 1] != '/')
		path[n++] = '/';
	memcpy(path + n, name, m + 1);
	return path;
}

/* fd is closed; -1: it could not be opened, see errno. */
static DIR *open_folder(int fd, const char *folder, unsigned depth, struct iot_error *error)
{
	char shown[SHOWN_MAX];
	DIR *dir = NULL;
	if (fd >= 0 && depth > IOT_DEPTH_MAX)
		iot_error_set(error, IOT_ELIMIT, "%s: folders deeper than %d levels",
			      iot_escape(shown, sizeof(shown), folder, strlen(folder)),
			      IOT_DEPTH_MAX);
	else if (fd < 0 || (dir = fdopendir(fd)) == NULL)
		(void)iot_path_error(error, folder);
	if (dir == NULL && fd >= 0)
		close(fd);
	return dir;
}

static int search(struct iot_folder *f, int fd, const char *folder, unsigned depth,
		  struct iot_error *error)
{
	DIR *dir = open_folder(fd, folder, depth, error);
	if (dir == NULL)
		return error->status;
	int status = IOT_OK;
	while (status == IOT_OK) {
		errno = 0;
		const struct dirent *entry = readdir(dir);
		if (entry == NULL && errno != 0)
			status = iot_path_error(error, folder);
		if (entry == NULL)
			break;
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		char *path = join(folder, entry->d_name);
		status = path != NULL
			     ? search_entry(f, dirfd(dir), entry->d_name, path, depth, error)
			     : out_of_memory(error);
		free(path);
	}
	closedir(dir);
	return status;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct iot_found *)a)->path, ((const struct iot_found *)b)->path);
}

int iot_folder_read(struct iot_folder *f, const char *path, size_t most, struct iot_error *error)
{
	struct stat st;
	const int fd = open(path, OPEN_FOLDER);
	if (fd < 0 || fstat(fd, &st) != 0) {
		const int status = iot_path_error(error, path);
		if (fd >= 0)
			close(fd);
		return status;
	}
	f->most = most;
	f->root = iot_identity_of(&st);
	int status = search(f, fd, path, 0, error);
	if (f->count > 0)
		qsort(f->found, f->count, sizeof(*f->found), by_path);
	return status;
}

void iot_folder_free(struct iot_folder *f)
{
	for (size_t i = 0; i < f->count; i++)
		free(f->found[i].path);
	free(f->found);
	*f = (struct iot_folder){.found = NULL};
}

/* Spool */

int iot_spool_open(struct iot_spool *s, struct iot_error *error)
{
	if (s->fd < 0)
		s->fd = iot_temporary_file();
	return s->fd < 0 ? iot_path_error(error, iot_temporary_folder()) : IOT_OK;
}

int iot_spool_file(struct iot_spool *s, struct iot_tar *t, uint64_t *size, struct iot_error *error)
{
	const void *data;
	size_t n;
	uint64_t offset, room = IOT_SPOOL_MAX - s->size;
	int got;
	*size = 0;
	while ((got = iot_tar_block(t, &data, &n, &offset)) > 0) {
		if (n > room || offset > room - n)
			return iot_error_set(error, IOT_ELIMIT,
					     "the files of a tar need more than "
					     "%d GiB",
					     (int)(IOT_SPOOL_MAX >> 30));
		if (!iot_file_write(s->fd, data, n, s->size + offset))
			return iot_error_system(
			    error, errno,
			    "temporary file for the files of a tar: cannot be written");
		if (n > 0 && offset + n > *size)
			*size = offset + n;
	}
	s->size += *size;
	return got;
}
