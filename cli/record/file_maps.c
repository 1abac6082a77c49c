/* SPDX-License-Identifier: BSD-2-Clause */
#include "file_maps.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "lib/base/array.h"

void file_maps_free(struct file_maps *m)
{
	for (size_t i = 0; i < m->capacity; i++) {
		free(m->file[i].path);
		file_extents_free(&m->file[i].extents);
	}
	free(m->file);
	free(m->at_path);
	idmap_free(&m->paths);
	*m = (struct file_maps){.file = NULL};
}

/* Returns the file of an object; NULL if it has not been seen. */
static struct mapped_file *find(const struct file_maps *m, uint32_t object)
{
	return object != 0 && object <= m->capacity && m->file[object - 1].path != NULL
		   ? &m->file[object - 1]
		   : NULL;
}

/* Stores which file has a path now. Returns false if out of memory. */
static bool set_path(struct file_maps *m, uint32_t object, const char *path)
{
	char *copy = strdup(path);
	const size_t n = idmap_number(&m->paths, XXH3_64bits(path, strlen(path)));
	if (copy == NULL ||
	    !array_reserve_index(&m->at_path, &m->path_capacity, n, sizeof *m->at_path)) {
		free(copy);
		return false;
	}
	m->at_path[n] = object;
	free(m->file[object - 1].path);
	m->file[object - 1].path = copy;
	return true;
}

bool file_maps_see(struct file_maps *m, uint32_t object, const char *path,
		   const struct file_identity *identity)
{
	if (object == 0 || path == NULL || path[0] != '/')
		return true;
	if (!array_reserve_index(&m->file, &m->capacity, object - 1, sizeof *m->file))
		return false;
	m->file[object - 1].identity = *identity;
	return set_path(m, object, path);
}

void file_maps_use(struct file_maps *m, uint32_t object, bool writes)
{
	struct mapped_file *f = find(m, object);
	if (f == NULL)
		return;
	f->changed |= writes || !f->used;
	f->used = true;
}

/* Returns the file that has a path now; 0: none. */
static uint32_t file_at(const struct file_maps *m, const char *path)
{
	const size_t n = idmap_find(&m->paths, XXH3_64bits(path, strlen(path)));
	const uint32_t object = n < m->path_capacity ? m->at_path[n] : 0;
	const struct mapped_file *f = find(m, object);
	return f != NULL && strcmp(f->path, path) == 0 ? object : 0;
}

bool file_maps_rename(struct file_maps *m, const char *from, const char *to)
{
	const uint32_t object = file_at(m, from);
	return object == 0 || set_path(m, object, to);
}

bool file_maps_exchange(struct file_maps *m, const char *one, const char *other)
{
	const uint32_t object = file_at(m, one), second = file_at(m, other);
	return (object == 0 || set_path(m, object, other)) &&
	       (second == 0 || set_path(m, second, one));
}

/* Keeps an earlier map if the file cannot be mapped: it may have been removed. */
static void map(struct mapped_file *f, bool sync)
{
	if (!f->changed || file_extents_read(&f->extents, f->path, &f->identity, sync) != 0)
		return;
	f->mapped = true;
	f->changed = f->extents.delayed;
}

void file_maps_close(struct file_maps *m, uint32_t object)
{
	struct mapped_file *f = find(m, object);
	if (f != NULL)
		map(f, false);
}

size_t file_maps_end(struct file_maps *m)
{
	size_t missing = 0;
	for (size_t i = 0; i < m->capacity; i++) {
		map(&m->file[i], true);
		missing += m->file[i].used && !m->file[i].mapped;
	}
	return missing;
}
