/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * File names as a tree of directories. A node is the name of a file, a directory or a symbolic
 * link, so renaming a directory moves one node, however many names are below it. A deleted name
 * stays in the tree, marked as absent: the next open that creates it then makes a new file of size
 * 0. The tree has two roots: "/", and the directory in which the trace started, as long as its path
 * is unknown.
 */
#include "fdtable.h"

#include <assert.h>
#include <string.h>
#include <xxhash.h>

#include <iotrace/iotrace.h>

enum {
	NAMES_START = 256,
	LINKS_MAX = 40,        /* symbolic links that one path may pass through, as in Linux */
	LINK_PARTS_MAX = 1024, /* components of all these links, with "." and "" */
};

struct path_name {
	struct path_name *parent; /* NULL for a root */
	struct path_name *child, *prev, *next;
	struct path_name *chain; /* next node with the same hash */
	struct tracked_file *file;
	char *text, *link; /* link: target of a symbolic link; NULL if it is not a link */
	uint32_t size, link_size, hash, id;
	bool absent; /* known not to exist */
};

enum path_walk {
	WALK_MAKE = 1,   /* create missing nodes */
	WALK_FOLLOW = 2, /* follow a symbolic link at the end, too */
	WALK_REAL = 4,   /* the path has no symbolic links: known ones no longer exist */
};

/* Components of paths */

/* Splits the first component off a path; it may be empty. */
static struct iot_text path_split(const char **path, const char *end)
{
	const char *start = *path, *slash = memchr(start, '/', (size_t)(end - start));
	*path = slash == NULL ? end : slash + 1;
	return (struct iot_text){start, (size_t)((slash == NULL ? end : slash) - start)};
}

static bool path_is_same(struct iot_text part)
{
	return part.size == 0 || (part.size == 1 && part.data[0] == '.');
}

static bool path_is_up(struct iot_text part)
{
	return part.size == 2 && memcmp(part.data, "..", 2) == 0;
}

/* The hash table of nodes, by parent and text */

static uint32_t hash_of(const struct fdtable *t, const struct path_name *parent, const char *text,
			size_t size)
{
	return (uint32_t)XXH3_64bits_withSeed(text, size,
					      t->seed ^ parent->id * UINT64_C(0x9e3779b97f4a7c15));
}

static void hash_add(struct fdtable *t, struct path_name *n)
{
	struct path_name **at = &t->name[n->hash & (t->name_capacity - 1)];
	n->chain = *at;
	*at = n;
}

static void hash_remove(struct fdtable *t, struct path_name *n)
{
	struct path_name **at = &t->name[n->hash & (t->name_capacity - 1)];
	for (; *at != n; at = &(*at)->chain)
		assert(*at != NULL);
	*at = n->chain;
}

static bool hash_grow(struct fdtable *t)
{
	const size_t old_capacity = t->name_capacity,
		     capacity = old_capacity == 0 ? NAMES_START : old_capacity * 2;
	struct path_name **old = t->name,
			 **name = fdtable_grow(t, NULL, 0, capacity * sizeof(struct path_name *));
	if (name == NULL)
		return false;
	t->name = name;
	t->name_capacity = capacity;
	for (size_t i = 0; i < old_capacity; i++)
		for (struct path_name *n = old[i], *next; n != NULL; n = next) {
			next = n->chain;
			hash_add(t, n);
		}
	fdtable_drop(t, old, old_capacity * sizeof(struct path_name *));
	return true;
}

/* Files and links of nodes */

static char *copy_text(struct fdtable *t, const char *text, size_t size)
{
	char *copy = fdtable_grow(t, NULL, 0, size);
	if (copy != NULL && size > 0)
		memcpy(copy, text, size);
	return copy;
}

/* Writes the path of a node to out (PATH_CAPACITY bytes). Returns its size, 0 if it is too long. */
static size_t tree_path(const struct path_name *n, char *out)
{
	size_t size = 0;
	for (const struct path_name *p = n; p != NULL; p = p->parent)
		size += p->size + (p != n && p->parent != NULL);
	if (size == 0)
		out[size++] = '.';
	if (size > PATH_CAPACITY)
		return 0;
	char *at = out + size;
	for (const struct path_name *p = n; p != NULL; p = p->parent) {
		if (p != n && p->parent != NULL)
			*--at = '/';
		at -= p->size;
		if (p->size > 0)
			memcpy(at, p->text, p->size);
	}
	return size;
}

static void tree_set_path(struct fdtable *t, struct tracked_file *f, const char *path, size_t size)
{
	char *copy = size > 0 ? copy_text(t, path, size) : NULL;
	if (copy == NULL && size > 0)
		return;
	fdtable_drop(t, f->path, f->path_size);
	f->path = copy;
	f->path_size = size;
}

bool file_has_path(struct fdtable *t, struct tracked_file *f)
{
	if (f->name != NULL && f->moved != t->moves) {
		char path[PATH_CAPACITY];
		const size_t size = tree_path(f->name, path);
		f->moved = t->moves;
		tree_set_path(t, f, path, size);
		t->unnamed += size == 0;
	}
	return f->path != NULL;
}

/* Makes the node the name that the path of f follows, also after renames. */
static void tree_name_file(struct fdtable *t, struct tracked_file *f, struct path_name *n)
{
	f->name = n;
	f->moved = t->moves - 1;
	file_has_path(t, f);
}

/* Makes the node a name of f, or of no file if f is NULL. */
static void tree_point(struct fdtable *t, struct path_name *n, struct tracked_file *f)
{
	struct tracked_file *had = n->file;
	if (f != NULL)
		f->refs++;
	if (had != NULL && had->name == n && had != f) {
		file_has_path(t, had);
		had->name = NULL;
	}
	file_free(t, had);
	n->file = f;
	n->absent = f == NULL;
}

static void tree_set_link(struct fdtable *t, struct path_name *n, const char *target, size_t size)
{
	fdtable_drop(t, n->link, n->link_size);
	n->link = size == 0 ? NULL : copy_text(t, target, size);
	t->links |= n->link != NULL;
	n->link_size = n->link == NULL ? 0 : (uint32_t)size;
}

/* Nodes */

static void attach(struct fdtable *t, struct path_name *n, struct path_name *parent)
{
	n->parent = parent;
	n->prev = NULL;
	n->next = parent->child;
	if (parent->child != NULL)
		parent->child->prev = n;
	parent->child = n;
	n->hash = hash_of(t, parent, n->text, n->size);
	hash_add(t, n);
}

static void detach(struct fdtable *t, struct path_name *n)
{
	hash_remove(t, n);
	*(n->prev == NULL ? &n->parent->child : &n->prev->next) = n->next;
	if (n->next != NULL)
		n->next->prev = n->prev;
}

static struct path_name *node_new(struct fdtable *t, const char *text, size_t size)
{
	struct path_name *n = fdtable_grow(t, NULL, 0, sizeof *n);
	char *copy = n == NULL ? NULL : copy_text(t, text, size);
	if (copy == NULL) {
		fdtable_drop(t, n, sizeof *n);
		return NULL;
	}
	n->text = copy;
	n->size = (uint32_t)size;
	n->id = ++t->name_ids;
	return n;
}

static void node_free(struct fdtable *t, struct path_name *n)
{
	tree_point(t, n, NULL);
	tree_set_link(t, n, NULL, 0);
	fdtable_drop(t, n->text, n->size);
	fdtable_drop(t, n, sizeof *n);
}

/* Returns the node of a name in a directory. */
static struct path_name *step(struct fdtable *t, struct path_name *parent, const char *text,
			      size_t size, bool make)
{
	const uint32_t hash = hash_of(t, parent, text, size);
	struct path_name *n = t->name_capacity == 0 ? NULL : t->name[hash & (t->name_capacity - 1)];
	for (; n != NULL; n = n->chain)
		if (n->hash == hash && n->parent == parent && n->size == size &&
		    memcmp(n->text, text, size) == 0)
			return n;
	if (!make || (t->name_count >= t->name_capacity && !hash_grow(t)))
		return NULL;
	n = node_new(t, text, size);
	if (n == NULL)
		return NULL;
	attach(t, n, parent);
	t->name_count++;
	return n;
}

static struct path_name *root(struct fdtable *t, bool absolute)
{
	struct path_name **at = &t->root[absolute];
	if (*at == NULL)
		*at = node_new(t, absolute ? "/" : "", absolute);
	return *at;
}

/*
 * Returns the node of "..". Above the directory in which the trace started, ".." is a name of its
 * own.
 */
static struct path_name *up(struct fdtable *t, struct path_name *n, bool make)
{
	if (n == t->root[1])
		return n;
	if (n->parent == NULL || path_is_up((struct iot_text){n->text, n->size}))
		return step(t, n, "..", 2, make);
	return n->parent;
}

struct walk {
	unsigned how, links, parts;
};

static struct path_name *walk(struct fdtable *t, struct path_name *at, const char *path,
			      size_t size, struct walk *w, unsigned how);

/* Returns the target of the symbolic link n in directory `at`; n itself if it is not a link. */
static struct path_name *follow(struct fdtable *t, struct path_name *at, struct path_name *n,
				struct walk *w)
{
	if (n->link == NULL)
		return n;
	if ((w->how & WALK_REAL) != 0) {
		tree_set_link(t, n, NULL, 0);
		return n;
	}
	if (++w->links > LINKS_MAX)
		return NULL;
	return walk(t, at, n->link, n->link_size, w, w->how | WALK_FOLLOW);
}

static struct path_name *walk(struct fdtable *t, struct path_name *at, const char *path,
			      size_t size, struct walk *w, unsigned how)
{
	const char *end = path + size;
	const bool make = (how & WALK_MAKE) != 0;
	if (size > 0 && *path == '/')
		at = root(t, true);
	while (at != NULL && path < end) {
		const struct iot_text part = path_split(&path, end);
		if (w->links > 0 && ++w->parts > LINK_PARTS_MAX)
			return NULL;
		if (path_is_same(part))
			continue;
		if (path_is_up(part)) {
			at = up(t, at, make);
			continue;
		}
		struct path_name *n = step(t, at, part.data, part.size, make);
		bool last = true;
		for (const char *p = path; p < end && last; p++)
			last = *p == '/';
		if (n != NULL && (!last || (how & (WALK_FOLLOW | WALK_REAL)) != 0))
			n = follow(t, at, n, w);
		at = n;
	}
	return at;
}

/*
 * Returns the node of a path; NULL if it does not exist or its links cannot be resolved. Sets
 * *linked, unless NULL, to whether symbolic links were followed.
 */
static struct path_name *tree_walk(struct fdtable *t, const char *path, size_t size, unsigned how,
				   bool *linked)
{
	struct walk w = {.how = how};
	struct path_name *at = size == 0 || size > PATH_CAPACITY ? NULL : root(t, *path == '/');
	if (at != NULL)
		at = walk(t, at, path, size, &w, how);
	if (linked != NULL)
		*linked = w.links > 0;
	return at;
}

/* Changes */

/* Frees all nodes below top, from the leaves up: a tree may be deeper than the stack. */
static void tree_prune(struct fdtable *t, struct path_name *top)
{
	struct path_name *n = top;
	for (;;) {
		while (n->child != NULL)
			n = n->child;
		if (n == top)
			return;
		struct path_name *parent = n->parent;
		detach(t, n);
		node_free(t, n);
		t->name_count--;
		n = parent;
	}
}

/* Exchanges two nodes, not roots, with all nodes below them; none may be below the other. */
static void tree_swap(struct fdtable *t, struct path_name *a, struct path_name *b)
{
	assert(a->parent != NULL && b->parent != NULL && a != b);
	struct path_name *const of_a = a->parent, *const of_b = b->parent;
	char *const text = a->text;
	const uint32_t size = a->size;
	detach(t, a);
	detach(t, b);
	a->text = b->text;
	a->size = b->size;
	b->text = text;
	b->size = size;
	attach(t, a, of_b);
	attach(t, b, of_a);
	t->moves++;
}

/* Returns true if `n` is `top` or below it. */
static bool tree_within(const struct path_name *n, const struct path_name *top)
{
	while (n != NULL && n != top)
		n = n->parent;
	return n != NULL;
}

/* Transfers the file and link of a node to `onto`, which has the same name. */
static void merge_node(struct fdtable *t, struct path_name *n, struct path_name *onto)
{
	struct tracked_file *f = n->file;
	if (onto->link == NULL && n->link != NULL)
		tree_set_link(t, onto, n->link, n->link_size);
	if (f == NULL)
		return;
	if (onto->file != NULL && onto->file != f) /* one file, partly seen under each name */
		onto->file->size_known = f->size_known = false;
	f->refs++;
	tree_point(t, n, NULL);
	tree_point(t, onto, f);
	f->name = onto;
	f->moved = t->moves - 1;
	file_free(t, f);
}

/* Moves all nodes below the second root to `onto`. */
static void tree_graft(struct fdtable *t, struct path_name *onto)
{
	struct path_name *from = t->root[0], *work = NULL;
	if (from == NULL || from->child == NULL || tree_within(onto, from))
		return;
	t->moves++;
	while (from != NULL) {
		for (struct path_name *n; (n = from->child) != NULL;) {
			detach(t, n);
			struct path_name *there = path_is_up((struct iot_text){n->text, n->size})
						      ? (onto->parent == NULL ? onto : onto->parent)
						      : step(t, onto, n->text, n->size, false);
			if (there == NULL) {
				attach(t, n, onto);
				continue;
			}
			merge_node(t, n, there);
			/* it is out of the tree; its children are processed later */
			n->parent = there;
			n->next = work;
			work = n;
		}
		if (from != t->root[0]) {
			node_free(t, from);
			t->name_count--;
		}
		from = work;
		if (from != NULL) {
			work = from->next;
			onto = from->parent;
		}
	}
}

void fdtable_clear(struct fdtable *t)
{
	for (int i = 0; i < 2; i++) {
		if (t->root[i] == NULL)
			continue;
		tree_prune(t, t->root[i]);
		node_free(t, t->root[i]);
		t->root[i] = NULL;
	}
	fdtable_drop(t, t->name, t->name_capacity * sizeof(struct path_name *));
	t->name = NULL;
	t->name_count = t->name_capacity = 0;
}

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

/* Returns the index of the last component of path[0..n). */
static size_t last_part(const char *path, size_t n)
{
	while (n > 0 && path[n - 1] != '/')
		n--;
	return n;
}

/* Appends one component to out[0..n). Returns SIZE_MAX if it does not fit. */
static size_t path_add(char *out, size_t n, struct iot_text part)
{
	if (path_is_up(part)) {
		const size_t last = last_part(out, n);
		if (last < n && !path_is_up((struct iot_text){out + last, n - last}))
			return last > 1 ? last - 1 : last;
		if (n == 1 && out[0] == '/')
			return n;
	}
	const bool slash = n > 0 && out[n - 1] != '/';
	if (n + slash + part.size > PATH_CAPACITY)
		return SIZE_MAX;
	if (slash)
		out[n++] = '/';
	memcpy(out + n, part.data, part.size);
	return n + part.size;
}

static size_t path_add_all(char *out, size_t n, const char *path, size_t size)
{
	const char *end = size > 0 ? path + size : path; /* path may be NULL */
	while (path < end && n != SIZE_MAX) {
		const struct iot_text part = path_split(&path, end);
		if (!path_is_same(part))
			n = path_add(out, n, part);
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
	for (const char *end = path + size; path < end;)
		if (path_is_up(path_split(&path, end)))
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
	size_t last = last_part(joined, n);
	if (has_up(joined + last, n - last))
		last = n;
	const struct path_name *d = tree_walk(t, joined, last, WALK_MAKE | WALK_FOLLOW, NULL);
	char directory[PATH_CAPACITY];
	const size_t at = d == NULL ? 0 : tree_path(d, directory);
	return at == 0 ? 0 : path_resolve(directory, at, joined + last, n - last, out);
}
