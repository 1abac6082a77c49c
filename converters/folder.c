/* SPDX-License-Identifier: BSD-2-Clause */
/* Files below a directory, and the spool: see folder.h. */
#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/files.h"
#include "lib/room.h"

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

/* Folders */

static int keep(struct iot_folder *f, const char *path, off_t size, struct iot_error *error)
{
	if (f->count == f->most)
		return iot_error_set(error, IOT_ELIMIT, "more than %zu files", f->most);
	if (!iot_room(&f->found, &f->room, f->count + 1, sizeof(*f->found)))
		return out_of_memory(error);
	struct iot_found *new = &f->found[f->count];
	new->size = (uint64_t)size;
	new->path = strdup(path);
	if (new->path == NULL)
		return out_of_memory(error);
	f->count++;
	return IOT_OK;
}

static int search(struct iot_folder *f, const char *folder, unsigned depth,
		  struct iot_error *error);

static int search_entry(struct iot_folder *f, const char *path, unsigned depth,
			struct iot_error *error)
{
	struct stat st;
	if (lstat(path, &st) != 0)
		return iot_path_error(error, path);
	if (S_ISDIR(st.st_mode))
		return search(f, path, depth + 1, error);
	if (S_ISREG(st.st_mode))
		return keep(f, path, st.st_size, error);
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

static int search(struct iot_folder *f, const char *folder, unsigned depth, struct iot_error *error)
{
	char shown[SHOWN_MAX];
	if (depth > IOT_DEPTH_MAX)
		return iot_error_set(error, IOT_ELIMIT, "%s: folders deeper than %d levels",
				     iot_escape(shown, sizeof(shown), folder, strlen(folder)),
				     IOT_DEPTH_MAX);
	DIR *dir = opendir(folder);
	if (dir == NULL)
		return iot_path_error(error, folder);
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
		status = path != NULL ? search_entry(f, path, depth, error) : out_of_memory(error);
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
	f->most = most;
	int status = search(f, path, 0, error);
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
