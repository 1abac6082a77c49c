/* SPDX-License-Identifier: BSD-2-Clause */
/* Files below a directory; see directory.h. */
#include "directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/array.h"

enum { SHOWN_MAX = 512 };

int input_path_error(struct error *error, const char *path)
{
	int errnum = errno;
	char shown[SHOWN_MAX];
	return error_system(error, errnum, "%s: cannot be opened",
			    escape_text(shown, sizeof(shown), path, strlen(path)));
}

/* Identity */

struct identity identity_of(const struct stat *st)
{
	return (struct identity){st->st_dev, st->st_ino};
}

static bool is_same(const struct stat *st, const struct identity *identity)
{
	return st->st_dev == identity->device && st->st_ino == identity->inode;
}

/* Reports that a file was replaced after it was examined. */
static int replaced(struct error *error, const char *path)
{
	char shown[SHOWN_MAX];
	return error_set(error, IOT_EIO, "%s: was replaced by another file in the meantime",
			 escape_text(shown, sizeof(shown), path, strlen(path)));
}

/* Opening */

enum {
	OPEN_FILE = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
	OPEN_DIRECTORY = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_DIRECTORY,
};

/* Opens `rest` below the directory fd, component by component. Closes fd. */
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
		const int next = openat(fd, name, (last ? OPEN_FILE : OPEN_DIRECTORY) | O_NOFOLLOW);
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

/* Opens the directory path[0..size), if it still is the one that was searched. */
static int open_root(const char *path, size_t size, const struct identity *root)
{
	struct stat st;
	char *name = strndup(path, size);
	const int fd = name != NULL ? open(name, OPEN_DIRECTORY) : -1;
	free(name);
	if (fd < 0 || (fstat(fd, &st) == 0 && is_same(&st, root)))
		return fd;
	close(fd);
	errno = ESTALE;
	return -1;
}

int found_open(const char *path, const struct identity *identity, size_t root_size,
	       const struct identity *root, struct error *error)
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
		(void)input_path_error(error, path);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && is_same(&st, identity))
		return fd;
	close(fd);
	(void)replaced(error, path);
	return -1;
}

/* Directories */

static int keep(struct directory_list *f, const char *path, const struct stat *st,
		struct error *error)
{
	if (f->count == f->max)
		return error_set(error, IOT_ELIMIT, "more than %zu files", f->max);
	if (!array_reserve(&f->found, &f->capacity, f->count + 1, sizeof(*f->found)))
		return error_no_memory(error);
	struct directory_entry *new = &f->found[f->count];
	*new = (struct directory_entry){
	    .path = strdup(path), .size = (uint64_t)st->st_size, .identity = identity_of(st)};
	if (new->path == NULL)
		return error_no_memory(error);
	f->count++;
	return IOT_OK;
}

static int search(struct directory_list *f, int fd, const char *directory, unsigned depth,
		  struct error *error);

/* Examines the entry `name` of the directory fd; `path` is its path for the user. */
static int search_entry(struct directory_list *f, int fd, const char *name, const char *path,
			unsigned depth, struct error *error)
{
	struct stat st;
	if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return input_path_error(error, path);
	if (S_ISDIR(st.st_mode))
		return search(f, openat(fd, name, OPEN_DIRECTORY | O_NOFOLLOW), path, depth + 1,
			      error);
	if (S_ISREG(st.st_mode))
		return keep(f, path, &st, error);
	f->skipped++;
	return IOT_OK;
}

static char *join(const char *directory, const char *name)
{
	size_t n = strlen(directory), m = strlen(name);
	char *path = malloc(n + m + 2);
	if (path == NULL)
		return NULL;
	memcpy(path, directory, n);
	if (n > 0 && path[n - 1] != '/')
		path[n++] = '/';
	memcpy(path + n, name, m + 1);
	return path;
}

/* Takes ownership of fd, which is -1 with errno set if it could not be opened. */
static DIR *open_directory(int fd, const char *directory, unsigned depth, struct error *error)
{
	char shown[SHOWN_MAX];
	DIR *dir = NULL;
	if (fd >= 0 && depth > DIRECTORY_DEPTH_MAX)
		error_set(error, IOT_ELIMIT, "%s: folders deeper than %d levels",
			  escape_text(shown, sizeof(shown), directory, strlen(directory)),
			  DIRECTORY_DEPTH_MAX);
	else if (fd < 0 || (dir = fdopendir(fd)) == NULL)
		(void)input_path_error(error, directory);
	if (dir == NULL && fd >= 0)
		close(fd);
	return dir;
}

static int search(struct directory_list *f, int fd, const char *directory, unsigned depth,
		  struct error *error)
{
	DIR *dir = open_directory(fd, directory, depth, error);
	if (dir == NULL)
		return error->status;
	int status = IOT_OK;
	while (status == IOT_OK) {
		errno = 0;
		const struct dirent *entry = readdir(dir);
		if (entry == NULL && errno != 0)
			status = input_path_error(error, directory);
		if (entry == NULL)
			break;
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		char *path = join(directory, entry->d_name);
		status = path != NULL
			     ? search_entry(f, dirfd(dir), entry->d_name, path, depth, error)
			     : error_no_memory(error);
		free(path);
	}
	closedir(dir);
	return status;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct directory_entry *)a)->path,
		      ((const struct directory_entry *)b)->path);
}

int directory_list_read(struct directory_list *f, const char *path, size_t max, struct error *error)
{
	struct stat st;
	const int fd = open(path, OPEN_DIRECTORY);
	if (fd < 0 || fstat(fd, &st) != 0) {
		const int status = input_path_error(error, path);
		if (fd >= 0)
			close(fd);
		return status;
	}
	f->max = max;
	f->root = identity_of(&st);
	int status = search(f, fd, path, 0, error);
	if (f->count > 0)
		qsort(f->found, f->count, sizeof(*f->found), by_path);
	return status;
}

void directory_list_free(struct directory_list *f)
{
	for (size_t i = 0; i < f->count; i++)
		free(f->found[i].path);
	free(f->found);
	*f = (struct directory_list){.found = NULL};
}
