/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads directories, at once or in parts. */
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/base/array.h"
#include "walk_internal.h"

enum { LARGE_DIRECTORY = 1000 };

static bool is_excluded(const struct walk_options *o, const char *name)
{
	for (size_t i = 0; i < o->exclude_count; i++)
		if (fnmatch(o->exclude[i], name, 0) == 0)
			return true;
	return false;
}

static bool is_dots(const char *name)
{
	return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

/* Returns whether the entry counts. */
static bool visit_entry(struct walker *k, struct subtree *d, int fd, const struct dirent64 *e)
{
	if (is_dots(e->d_name) || is_excluded(k->walk->options, e->d_name))
		return false;
	if (k->counts || e->d_type == DT_DIR || e->d_type == DT_UNKNOWN)
		walk_visit(k, d, fd, e->d_name);
	return true;
}

static int by_inode(const void *left, const void *right)
{
	const struct entry_place *a = left, *b = right;
	return a->inode < b->inode ? -1 : a->inode > b->inode;
}

/*
 * Sorts the places of the entries in the buffer. Returns their number; 0 if they are few, already
 * in order, or if out of memory.
 */
static size_t sort_entries(struct walker *k, size_t size)
{
	size_t n = 0;
	bool sorted = true;
	for (size_t at = 0; at < size; n++) {
		const struct dirent64 *e = (const void *)(k->entries + at);
		if (!array_reserve(&k->places, &k->places_capacity, n + 1, sizeof *k->places))
			return 0;
		k->places[n] = (struct entry_place){e->d_ino, at};
		sorted &= n == 0 || k->places[n - 1].inode <= e->d_ino;
		at += e->d_reclen;
	}
	if (sorted || n <= LARGE_DIRECTORY)
		return 0;
	qsort(k->places, n, sizeof *k->places, by_inode);
	return n;
}

static uint64_t visit_entries(struct walker *k, struct subtree *d, int fd, size_t size)
{
	const size_t sorted = d->by_inode ? sort_entries(k, size) : 0;
	uint64_t visited = 0;
	for (size_t i = 0; i < sorted; i++)
		visited += visit_entry(k, d, fd, (const void *)(k->entries + k->places[i].at));
	for (size_t at = 0; sorted == 0 && at < size;) {
		const struct dirent64 *e = (const void *)(k->entries + at);
		at += e->d_reclen;
		visited += visit_entry(k, d, fd, e);
	}
	return visited;
}

static void end_directory(struct walker *k, const struct walk_reading *at, int error)
{
	if (error != 0) {
		k->survey->unread += k->counts;
		walk_fail(k, at->of, NULL, error);
	} else if (k->counts) {
		survey_add_entries(k->survey, at->entries);
		walk_add_top_directory(k, at->of, at->entries);
	}
}

/* Returns false if the directory is read on later. */
static bool read_entries(struct walker *k, struct walk_reading *at)
{
	ssize_t size;
	while ((size = getdents64(at->fd, k->entries, WALK_ENTRIES_BYTES)) > 0) {
		const uint64_t visited = visit_entries(k, at->of, at->fd, (size_t)size);
		at->entries += visited;
		atomic_fetch_add_explicit(&k->visited, visited, memory_order_relaxed);
		const bool paused = walk_queue_found(k, at);
		walk_report_progress(k->walk);
		if (paused)
			return false;
	}
	end_directory(k, at, size < 0 ? errno : 0);
	return true;
}

/* Counts why a directory is not read. */
static void fail_directory(struct walker *k, struct subtree *d, int error)
{
	if (error == ENOENT) {
		k->survey->vanished += k->counts;
		return;
	}
	k->survey->unread += k->counts;
	if (error == ESTALE || error == ENOTDIR || error == ELOOP)
		k->survey->moved += k->counts; /* replaced since its name was read */
	else
		walk_fail(k, d, NULL, error);
}

/* Files belong to the project of their directory. */
static void set_project(struct walker *k, struct subtree *d, int fd)
{
	struct fsxattr attributes;
	if (k->survey->by != SURVEY_BY_PROJECT)
		return;
	d->key =
	    ioctl(fd, FS_IOC_FSGETXATTR, &attributes) == 0 ? attributes.fsx_projid : SURVEY_UNKNOWN;
}

static bool begin_directory(struct walker *k, struct walk_reading *at)
{
	struct subtree *d = at->of;
	bool touched = false;
	at->fd = subtree_open(d, held_find(&k->held, d->parent), &touched);
	if (at->fd < 0) {
		fail_directory(k, d, errno);
		return false;
	}
	k->survey->touched += touched && k->counts;
	if (d->depth > atomic_load_explicit(&k->deepest, memory_order_relaxed))
		atomic_store_explicit(&k->deepest, d->depth, memory_order_relaxed);
	set_project(k, d, at->fd);
	return true;
}

void walk_directory(struct walker *k, struct walk_reading *at)
{
	const struct walk_options *o = k->walk->options;
	const struct subtree *root = at->of;
	while (root->parent != NULL)
		root = root->parent;
	k->root_device = root->device;
	k->counts = o->parts < 2 || o->part == 1 || at->of->depth >= WALK_PART_DEPTH;
	if (at->fd < 0 && !begin_directory(k, at))
		return;
	if (read_entries(k, at))
		held_add(&k->held, at->of, at->fd);
}
