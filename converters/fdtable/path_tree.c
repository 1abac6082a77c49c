/* SPDX-License-Identifier: BSD-2-Clause */
/* The tree of names; see path_tree.h. */
#include "path_tree.h"

#include <assert.h>
#include <string.h>
#include <xxhash.h>

#include <iotrace/iotrace.h>

enum {
	NAMES_START = 256,
	LINKS_MAX = 40,        /* symbolic links that one path may pass through, as in Linux */
	LINK_PARTS_MAX = 1024, /* components of all these links, with "." and "" */
};

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

static char *copy_text(struct fdtable *t, const char *text, size_t size)
{
	char *copy = fdtable_grow(t, NULL, 0, size);
	if (copy != NULL && size > 0)
		memcpy(copy, text, size);
	return copy;
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

static bool is_up(const char *text, size_t size)
{
	return size == 2 && text[0] == '.' && text[1] == '.';
}

/*
 * Returns the node of "..". Above the directory in which the trace started, ".." is a name of its
 * own.
 */
static struct path_name *up(struct fdtable *t, struct path_name *n, bool make)
{
	if (n == t->root[1])
		return n;
	if (n->parent == NULL || is_up(n->text, n->size))
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
		const char *slash = memchr(path, '/', (size_t)(end - path));
		const char *stop = slash == NULL ? end : slash;
		const size_t part = (size_t)(stop - path);
		const char *text = path;
		path = slash == NULL ? end : slash + 1;
		if (w->links > 0 && ++w->parts > LINK_PARTS_MAX)
			return NULL;
		if (part == 0 || (part == 1 && *text == '.'))
			continue;
		if (is_up(text, part)) {
			at = up(t, at, make);
			continue;
		}
		struct path_name *n = step(t, at, text, part, make);
		bool last = true;
		for (const char *p = path; p < end && last; p++)
			last = *p == '/';
		if (n != NULL && (!last || (how & (WALK_FOLLOW | WALK_REAL)) != 0))
			n = follow(t, at, n, w);
		at = n;
	}
	return at;
}

struct path_name *tree_walk(struct fdtable *t, const char *path, size_t size, unsigned how,
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

size_t tree_path(const struct path_name *n, char *out)
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

/* Paths of files */

void tree_set_path(struct fdtable *t, struct tracked_file *f, const char *path, size_t size)
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

void tree_name_file(struct fdtable *t, struct tracked_file *f, struct path_name *n)
{
	f->name = n;
	f->moved = t->moves - 1;
	file_has_path(t, f);
}

/* Changes */

void tree_point(struct fdtable *t, struct path_name *n, struct tracked_file *f)
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

void tree_set_link(struct fdtable *t, struct path_name *n, const char *target, size_t size)
{
	fdtable_drop(t, n->link, n->link_size);
	n->link = size == 0 ? NULL : copy_text(t, target, size);
	t->links |= n->link != NULL;
	n->link_size = n->link == NULL ? 0 : (uint32_t)size;
}

/* Iterative, from the leaves up: a tree may be deeper than the stack. */
void tree_prune(struct fdtable *t, struct path_name *top)
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

void tree_swap(struct fdtable *t, struct path_name *a, struct path_name *b)
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

bool tree_within(const struct path_name *n, const struct path_name *top)
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

void tree_graft(struct fdtable *t, struct path_name *onto)
{
	struct path_name *from = t->root[0], *work = NULL;
	if (from == NULL || from->child == NULL || tree_within(onto, from))
		return;
	t->moves++;
	while (from != NULL) {
		for (struct path_name *n; (n = from->child) != NULL;) {
			detach(t, n);
			struct path_name *there = is_up(n->text, n->size)
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
