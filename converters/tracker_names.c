/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names and files. A hash table leads from paths to files; a name that is gone stays in it, marked
 * as absent, for then the next open that creates it makes a new file, of size 0.
 */
#include "tracker.h"

#include <string.h>
#include <xxhash.h>

#include <iotrace/iotrace.h>

#define RENAME_WORK_MAX (UINT64_C(1) << 30) /* names looked at, for all directories that moved */

enum { NAMES_START = 256 };

/* Files */

void iot_file_free(struct iot_tracker *t, struct iot_tracked_file *f)
{
	if (f == NULL || --f->refs > 0)
		return;
	iot_tracker_drop(t, f->path, f->path_size);
	iot_tracker_drop(t, f, sizeof *f);
}

void iot_file_truncate(struct iot_tracked_file *f, uint64_t size)
{
	f->size = size;
	f->size_known = true;
}

void iot_file_grow(struct iot_tracked_file *f, uint64_t size)
{
	if (size > f->size)
		f->size = size;
}

struct iot_tracked_file *iot_tracker_nameless(struct iot_tracker *t)
{
	struct iot_tracked_file *f = iot_tracker_grow(t, NULL, 0, sizeof *f);
	if (f != NULL)
		f->refs = 1;
	return f;
}

static void file_set_path(struct iot_tracker *t, struct iot_tracked_file *f, const char *path,
			  size_t size)
{
	char *copy = iot_tracker_grow(t, NULL, 0, size);
	if (copy == NULL)
		return;
	memcpy(copy, path, size);
	iot_tracker_drop(t, f->path, f->path_size);
	f->path = copy;
	f->path_size = size;
}

/* The table of names */

static uint32_t hash_path(const struct iot_tracker *t, const char *path, size_t size)
{
	return (uint32_t)XXH3_64bits_withSeed(path, size, t->seed);
}

static struct iot_name *name_slot(const struct iot_tracker *t, const char *path, size_t size,
				  uint32_t hash)
{
	size_t mask = t->name_room - 1;
	for (size_t i = hash & mask;; i = (i + 1) & mask) {
		struct iot_name *n = &t->name[i];
		if (n->path == NULL ||
		    (n->hash == hash && n->size == size && memcmp(n->path, path, size) == 0))
			return n;
	}
}

static bool names_resize(struct iot_tracker *t, size_t room)
{
	struct iot_name *old = t->name;
	size_t old_room = t->name_room;
	struct iot_name *name = iot_tracker_grow(t, NULL, 0, room * sizeof *name);
	if (name == NULL)
		return false;
	t->name = name;
	t->name_room = room;
	for (size_t i = 0; i < old_room; i++)
		if (old[i].path != NULL)
			*name_slot(t, old[i].path, old[i].size, old[i].hash) = old[i];
	iot_tracker_drop(t, old, old_room * sizeof *old);
	return true;
}

static struct iot_name *name_find(struct iot_tracker *t, const char *path, size_t size)
{
	if (t->name_count == 0 || size == 0)
		return NULL;
	struct iot_name *n = name_slot(t, path, size, hash_path(t, path, size));
	return n->path == NULL ? NULL : n;
}

/* The entry of this path, made absent if it is new; *known says whether it was there. */
static struct iot_name *name_get(struct iot_tracker *t, const char *path, size_t size, bool *known)
{
	if (size == 0 || size > IOT_PATH_ROOM)
		return NULL;
	size_t room = t->name_room == 0 ? NAMES_START : t->name_room;
	if (t->name_count * 2 >= room)
		room *= 2;
	if (room != t->name_room && !names_resize(t, room))
		return NULL;
	uint32_t hash = hash_path(t, path, size);
	struct iot_name *n = name_slot(t, path, size, hash);
	*known = n->path != NULL;
	if (*known)
		return n;
	char *copy = iot_tracker_grow(t, NULL, 0, size);
	if (copy == NULL)
		return NULL;
	memcpy(copy, path, size);
	*n = (struct iot_name){.path = copy, .size = (uint32_t)size, .hash = hash};
	t->name_count++;
	return n;
}

static void name_point(struct iot_tracker *t, struct iot_name *n, struct iot_tracked_file *f)
{
	if (f != NULL) {
		f->refs++;
		t->relative |= n->path[0] != '/';
	}
	iot_file_free(t, n->file);
	n->file = f;
}

void iot_tracker_clear(struct iot_tracker *t)
{
	for (size_t i = 0; i < t->name_room; i++) {
		if (t->name[i].path == NULL)
			continue;
		iot_tracker_drop(t, t->name[i].path, t->name[i].size);
		iot_file_free(t, t->name[i].file);
	}
	iot_tracker_drop(t, t->name, t->name_room * sizeof *t->name);
	t->name = NULL;
	t->name_count = t->name_room = 0;
}

/* Opens, links, renames */

struct iot_tracked_file *iot_tracker_open(struct iot_tracker *t, const char *path, size_t size,
					  unsigned how)
{
	bool known;
	struct iot_name *n = name_get(t, path, size, &known);
	if (n == NULL)
		return NULL;
	bool exclusive = (how & IOT_OPEN_CREATE) != 0 && (how & IOT_OPEN_EXCLUSIVE) != 0;
	if (n->file == NULL || exclusive) {
		struct iot_tracked_file *f = iot_tracker_nameless(t);
		if (f == NULL)
			return NULL;
		file_set_path(t, f, path, size);
		f->size_known = exclusive || (known && (how & IOT_OPEN_CREATE) != 0);
		name_point(t, n, f);
		iot_file_free(t, f);
	}
	if ((how & IOT_OPEN_TRUNCATE) != 0)
		iot_file_truncate(n->file, 0);
	struct iot_tracked_file *f = n->file;
	if (f->path == NULL || iot_tracker_find(t, f->path, f->path_size) != f)
		file_set_path(t, f, path, size); /* the name it had is gone; this one is left */
	return n->file;
}

struct iot_tracked_file *iot_tracker_find(struct iot_tracker *t, const char *path, size_t size)
{
	struct iot_name *n = name_find(t, path, size);
	return n == NULL ? NULL : n->file;
}

void iot_tracker_absent(struct iot_tracker *t, const char *path, size_t size)
{
	bool known;
	struct iot_name *n = name_get(t, path, size, &known);
	if (n != NULL)
		name_point(t, n, NULL);
}

void iot_tracker_link(struct iot_tracker *t, const char *from, size_t from_size, const char *to,
		      size_t to_size)
{
	bool known;
	struct iot_tracked_file *f = iot_tracker_find(t, from, from_size);
	struct iot_name *n = f == NULL ? NULL : name_get(t, to, to_size, &known);
	if (n != NULL)
		name_point(t, n, f);
}

void iot_tracker_renamed(struct iot_tracker *t, struct iot_tracked_file *f, const char *path,
			 size_t size)
{
	bool known;
	struct iot_name *old = f->path == NULL ? NULL : name_find(t, f->path, f->path_size);
	f->refs++;
	if (old != NULL && old->file == f)
		name_point(t, old, NULL);
	struct iot_name *n = name_get(t, path, size, &known);
	if (n != NULL)
		name_point(t, n, f);
	file_set_path(t, f, path, size);
	iot_file_free(t, f);
}

static bool below(const struct iot_name *n, const char *directory, size_t size)
{
	return n->path != NULL && n->size > size + 1 && n->path[size] == '/' &&
	       memcmp(n->path, directory, size) == 0;
}

/* Moves the name `n` (perhaps of a table being walked: so it only points elsewhere) to `to`. */
static void name_move(struct iot_tracker *t, struct iot_name *n, const char *to, size_t size)
{
	struct iot_tracked_file *f = n->file;
	if (f == NULL)
		return;
	f->refs++;
	name_point(t, n, NULL);
	iot_tracker_renamed(t, f, to, size);
	iot_file_free(t, f);
}

/* The names below a directory, which is called `to` from now on. */
static void names_below_move(struct iot_tracker *t, const char *from, size_t from_size,
			     const char *to, size_t to_size)
{
	if (t->rename_work > RENAME_WORK_MAX)
		return;
	t->rename_work += t->name_room;
	char path[IOT_PATH_ROOM];
	for (size_t i = 0; i < t->name_room; i++) {
		struct iot_name *n = &t->name[i];
		if (n->file == NULL || !below(n, from, from_size))
			continue;
		size_t rest = n->size - from_size, room = t->name_room;
		if (to_size + rest > sizeof path)
			continue;
		memcpy(path, to, to_size);
		memcpy(path + to_size, n->path + from_size, rest);
		name_move(t, n, path, to_size + rest);
		if (room != t->name_room) /* the table has grown: begin again, what moved is gone */
			i = (size_t)-1;
	}
}

void iot_tracker_rename(struct iot_tracker *t, const char *from, size_t from_size, const char *to,
			size_t to_size, bool exchange)
{
	if (from_size == 0 || to_size == 0 ||
	    (from_size == to_size && memcmp(from, to, to_size) == 0))
		return;
	/* nothing moves into itself, whatever a log says: it would never come to an end */
	if (to_size > from_size && to[from_size] == '/' && memcmp(to, from, from_size) == 0)
		return;
	struct iot_tracked_file *a = iot_tracker_find(t, from, from_size);
	struct iot_tracked_file *b = iot_tracker_find(t, to, to_size);
	if (a != NULL && a == b && !exchange) /* two names of one file: rename does nothing */
		return;
	if (a != NULL)
		a->refs++;
	if (b != NULL)
		b->refs++;
	if (a == NULL)
		names_below_move(t, from, from_size, to, to_size);
	iot_tracker_absent(t, from, from_size);
	iot_tracker_absent(t, to, to_size);
	if (a != NULL)
		iot_tracker_renamed(t, a, to, to_size);
	if (b != NULL && exchange)
		iot_tracker_renamed(t, b, from, from_size);
	iot_file_free(t, a);
	iot_file_free(t, b);
	bool
	    known; /* a file renamed that was never opened: a name that is there, of unknown size */
	struct iot_name *n = a == NULL ? name_get(t, to, to_size, &known) : NULL;
	struct iot_tracked_file *f = n == NULL || exchange ? NULL : iot_tracker_nameless(t);
	if (f == NULL)
		return;
	file_set_path(t, f, to, to_size);
	name_point(t, n, f);
	iot_file_free(t, f);
}

void iot_tracker_root(struct iot_tracker *t, const char *root, size_t root_size)
{
	if (!t->relative || t->rename_work > RENAME_WORK_MAX)
		return;
	char path[IOT_PATH_ROOM];
	t->relative = root_size == 0 || root[0] != '/';
	t->rename_work += t->name_room;
	for (size_t i = 0; i < t->name_room; i++) {
		struct iot_name *n = &t->name[i];
		size_t room = t->name_room;
		if (n->file == NULL || n->path[0] == '/')
			continue;
		size_t size = iot_path_resolve(root, root_size, n->path, n->size, path);
		if (size == 0)
			continue;
		name_move(t, n, path, size);
		if (room != t->name_room)
			i = (size_t)-1;
	}
}

/* Paths */

struct iot_directory *iot_directory_new(struct iot_tracker *t, const char *path, size_t size)
{
	struct iot_directory *d = iot_tracker_grow(t, NULL, 0, sizeof *d);
	if (d == NULL)
		return NULL;
	d->refs = 1;
	iot_directory_set(t, d, path, size);
	return d;
}

struct iot_directory *iot_directory_share(struct iot_directory *d)
{
	d->refs++;
	return d;
}

void iot_directory_set(struct iot_tracker *t, struct iot_directory *d, const char *path,
		       size_t size)
{
	if (size > d->room) {
		char *grown = iot_tracker_grow(t, d->path, d->room, size);
		if (grown == NULL)
			return;
		d->path = grown;
		d->room = size;
	}
	if (size > 0)
		memmove(d->path, path, size);
	d->size = size;
}

void iot_directory_free(struct iot_tracker *t, struct iot_directory *d)
{
	if (d == NULL || --d->refs > 0)
		return;
	iot_tracker_drop(t, d->path, d->room);
	iot_tracker_drop(t, d, sizeof *d);
}

/* Is the last part of out[0 .. n) a name, which ".." takes away? */
static bool ends_in_name(const char *out, size_t n)
{
	return n > 0 && !(n == 1 && out[0] == '/') &&
	       !(n >= 2 && memcmp(out + n - 2, "..", 2) == 0 && (n == 2 || out[n - 3] == '/'));
}

static size_t path_up(const char *out, size_t n)
{
	while (n > 0 && out[n - 1] != '/')
		n--;
	return n > 1 ? n - 1 : n;
}

/* Adds one part to out[0 .. n); 0: no room. */
static size_t path_add(char *out, size_t n, const char *part, size_t size)
{
	if (size == 2 && part[0] == '.' && part[1] == '.') {
		if (ends_in_name(out, n))
			return path_up(out, n);
		if (n == 1 && out[0] == '/')
			return n;
	}
	bool slash = n > 0 && out[n - 1] != '/';
	if (n + slash + size > IOT_PATH_ROOM)
		return SIZE_MAX;
	if (slash)
		out[n++] = '/';
	memcpy(out + n, part, size);
	return n + size;
}

static size_t path_add_all(char *out, size_t n, const char *path, size_t size)
{
	const char *end = size > 0 ? path + size : path; /* path may be NULL */
	while (path < end && n != SIZE_MAX) {
		const char *slash = memchr(path, '/', (size_t)(end - path));
		const char *stop = slash == NULL ? end : slash;
		size_t part = (size_t)(stop - path);
		if (part > 0 && !(part == 1 && *path == '.'))
			n = path_add(out, n, path, part);
		path = slash == NULL ? end : slash + 1;
	}
	return n;
}

size_t iot_path_resolve(const char *base, size_t base_size, const char *path, size_t size,
			char *out)
{
	size_t n = 0;
	bool absolute = size > 0 && path[0] == '/';
	if (absolute || (base_size > 0 && base[0] == '/'))
		out[n++] = '/';
	if (!absolute)
		n = path_add_all(out, n, base, base_size);
	if (n != SIZE_MAX)
		n = path_add_all(out, n, path, size);
	if (n == SIZE_MAX)
		return 0;
	if (n == 0)
		out[n++] = '.';
	return n;
}
