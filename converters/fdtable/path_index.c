/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names and files. A deleted name stays in the tree, marked as absent: the next open that creates
 * it then makes a new file of size 0.
 */
#include "path_tree.h"

#include <string.h>

#include <iotrace/iotrace.h>

/* Opens, links, renames */

/* Creates the file of a node without one: a file that existed before, or a new one. */
static bool file_appears(struct fdtable *t, struct path_name *n, bool size_known)
{
	struct tracked_file *f = file_unlinked(t);
	if (f == NULL)
		return false;
	f->size_known = size_known;
	tree_point(t, n, f);
	file_free(t, f);
	return true;
}

struct tracked_file *fdtable_open(struct fdtable *t, const char *path, size_t size, unsigned how)
{
	const bool create = (how & OPEN_CREATE) != 0,
		   exclusive = create && (how & OPEN_EXCLUSIVE) != 0;
	const unsigned end = (how & OPEN_REAL) != 0 ? WALK_REAL : WALK_FOLLOW;
	bool linked;
	struct path_name *n = tree_walk(t, path, size, WALK_MAKE | (exclusive ? 0U : end), &linked);
	if (n == NULL)
		return NULL;
	if (exclusive)
		tree_set_link(t, n, NULL, 0);
	if ((n->file == NULL || exclusive) &&
	    !file_appears(t, n, exclusive || (n->absent && create)))
		return NULL;
	struct tracked_file *f = n->file;
	if ((how & OPEN_TRUNCATE) != 0)
		file_truncate(f, 0);
	if (f->name == NULL) {
		tree_name_file(t, f, n);
		if (!linked) /* as the call spells it */
			tree_set_path(t, f, path, size);
	}
	return f;
}

struct tracked_file *fdtable_find(struct fdtable *t, const char *path, size_t size)
{
	const struct path_name *n = tree_walk(t, path, size, WALK_FOLLOW, NULL);
	return n == NULL ? NULL : n->file;
}

/* Clears the name at the end of a path, unless it is a root. */
static struct path_name *clear_name(struct fdtable *t, const char *path, size_t size, unsigned how)
{
	struct path_name *n = tree_walk(t, path, size, WALK_MAKE | how, NULL);
	if (n == NULL || n->parent == NULL)
		return NULL;
	tree_prune(t, n);
	tree_point(t, n, NULL);
	return n;
}

void fdtable_absent(struct fdtable *t, const char *path, size_t size)
{
	fdtable_symlink(t, path, size, NULL, 0);
}

void fdtable_missing(struct fdtable *t, const char *path, size_t size)
{
	(void)clear_name(t, path, size, WALK_FOLLOW);
}

void fdtable_symlink(struct fdtable *t, const char *path, size_t size, const char *target,
		     size_t target_size)
{
	struct path_name *n = clear_name(t, path, size, 0);
	if (n != NULL)
		tree_set_link(t, n, target, target_size);
}

void fdtable_link(struct fdtable *t, const char *from, size_t from_size, const char *to,
		  size_t to_size, bool follow)
{
	struct path_name *a =
	    tree_walk(t, from, from_size, WALK_MAKE | (follow ? WALK_FOLLOW : 0U), NULL);
	struct path_name *b = a == NULL ? NULL : tree_walk(t, to, to_size, WALK_MAKE, NULL);
	if (b == NULL || a == b)
		return;
	if (a->link != NULL) {
		tree_set_link(t, b, a->link, a->link_size);
		return;
	}
	/* not opened so far: both names must refer to the same file */
	if (a->file == NULL && !file_appears(t, a, false))
		return;
	if (a->file->name == NULL)
		tree_name_file(t, a->file, a);
	tree_set_link(t, b, NULL, 0);
	tree_point(t, b, a->file);
}

void fdtable_name(struct fdtable *t, struct tracked_file *f, const char *path, size_t size)
{
	struct path_name *n = tree_walk(t, path, size, WALK_MAKE, NULL);
	if (n == NULL)
		return;
	tree_set_link(t, n, NULL, 0);
	tree_point(t, n, f);
	if (f->name == NULL)
		tree_name_file(t, f, n);
}

void fdtable_renamed(struct fdtable *t, struct tracked_file *f, const char *path, size_t size)
{
	struct path_name *n = tree_walk(t, path, size, WALK_MAKE | WALK_REAL, NULL);
	struct path_name *old = f->name;
	if (n == NULL || n == old)
		return;
	f->refs++;
	if (old != NULL)
		tree_point(t, old, NULL);
	tree_point(t, n, f);
	tree_name_file(t, f, n);
	file_free(t, f);
}

/* Names the file of a renamed node after it, even if the file has other names. */
static void follow_rename(struct fdtable *t, struct path_name *n)
{
	if (n->file != NULL)
		tree_name_file(t, n->file, n);
}

void fdtable_rename(struct fdtable *t, const char *from, size_t from_size, const char *to,
		    size_t to_size, bool exchange)
{
	struct path_name *a = tree_walk(t, from, from_size, WALK_MAKE, NULL);
	struct path_name *b = a == NULL ? NULL : tree_walk(t, to, to_size, WALK_MAKE, NULL);
	/* a directory cannot move into itself, whatever a log says */
	if (b == NULL || a->parent == NULL || b->parent == NULL || tree_within(b, a) ||
	    tree_within(a, b))
		return;
	if (!exchange) {
		if (a->file != NULL && a->file == b->file)
			return; /* two names of one file: rename has no effect */
		tree_prune(t, b);
		tree_set_link(t, b, NULL, 0);
		tree_point(t, b, NULL);
	}
	tree_swap(t, a, b);
	if (!exchange) {
		a->absent = false;
		/* never opened: the name exists, its size is unknown */
		if (a->file == NULL && a->link == NULL && a->child == NULL)
			file_appears(t, a, false);
	}
	follow_rename(t, a);
	follow_rename(t, b);
}

void fdtable_root(struct fdtable *t, const char *path, size_t size)
{
	struct path_name *n = tree_walk(t, path, size, WALK_MAKE | WALK_REAL, NULL);
	if (n != NULL)
		tree_graft(t, n);
}

/* Paths */

/* Returns true if the last component of out[0..n) is a name, which ".." removes. */
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

/* Appends one component to out[0..n). Returns SIZE_MAX if it does not fit. */
static size_t path_add(char *out, size_t n, const char *part, size_t size)
{
	if (size == 2 && part[0] == '.' && part[1] == '.') {
		if (ends_in_name(out, n))
			return path_up(out, n);
		if (n == 1 && out[0] == '/')
			return n;
	}
	bool slash = n > 0 && out[n - 1] != '/';
	if (n + slash + size > PATH_CAPACITY)
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

size_t path_resolve(const char *base, size_t base_size, const char *path, size_t size, char *out)
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

static bool has_up(const char *path, size_t size)
{
	for (size_t i = 0; i + 1 < size; i++)
		if (path[i] == '.' && path[i + 1] == '.' && (i == 0 || path[i - 1] == '/') &&
		    (i + 2 == size || path[i + 2] == '/'))
			return true;
	return false;
}

size_t fdtable_resolve(struct fdtable *t, const char *base, size_t base_size, const char *path,
		       size_t size, char *out)
{
	if (!t->links || !has_up(path, size))
		return path_resolve(base, base_size, path, size, out);
	char joined[PATH_CAPACITY];
	size_t n = *path == '/' ? 0 : base_size;
	if (n + 1 + size > sizeof joined)
		return 0;
	if (n > 0) {
		memcpy(joined, base, n);
		joined[n++] = '/';
	}
	memcpy(joined + n, path, size);
	n += size;
	while (n > 1 && joined[n - 1] == '/')
		n--;
	/* the last component may be a link that the call operates on: do not follow it */
	size_t last = n;
	while (last > 0 && joined[last - 1] != '/')
		last--;
	if (has_up(joined + last, n - last))
		last = n;
	const struct path_name *d = tree_walk(t, joined, last, WALK_MAKE | WALK_FOLLOW, NULL);
	char directory[PATH_CAPACITY];
	const size_t at = d == NULL ? 0 : tree_path(d, directory);
	return at == 0 ? 0 : path_resolve(directory, at, joined + last, n - last, out);
}
