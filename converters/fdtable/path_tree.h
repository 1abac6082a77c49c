/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * File names as a tree of directories. A node is the name of a file, a directory or a symbolic
 * link, so renaming a directory moves one node, however many names are below it. The tree has two
 * roots: "/", and the directory in which the trace started, as long as its path is unknown.
 */
#ifndef CONVERTERS_FDTABLE_PATH_TREE_H
#define CONVERTERS_FDTABLE_PATH_TREE_H

#include "fdtable.h"

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

/*
 * Returns the node of a path; NULL if it does not exist or its links cannot be resolved. Sets
 * *linked, unless NULL, to whether symbolic links were followed.
 */
struct path_name *tree_walk(struct fdtable *t, const char *path, size_t size, unsigned how,
			    bool *linked);
/* Writes the path of a node to out (PATH_CAPACITY bytes). Returns its size, 0 if it is too long. */
size_t tree_path(const struct path_name *n, char *out);
void tree_set_path(struct fdtable *t, struct tracked_file *f, const char *path, size_t size);
/* Makes the node the name that the path of f follows, also after renames. */
void tree_name_file(struct fdtable *t, struct tracked_file *f, struct path_name *n);
/* Makes the node a name of f, or of no file if f is NULL. */
void tree_point(struct fdtable *t, struct path_name *n, struct tracked_file *f);
void tree_set_link(struct fdtable *t, struct path_name *n, const char *target, size_t size);
/* Frees all nodes below top. */
void tree_prune(struct fdtable *t, struct path_name *top);
/* Exchanges two nodes, not roots, with all nodes below them; none may be below the other. */
void tree_swap(struct fdtable *t, struct path_name *a, struct path_name *b);
/* Returns true if `n` is `top` or below it. */
bool tree_within(const struct path_name *n, const struct path_name *top);
/* Moves all nodes below the second root to `onto`. */
void tree_graft(struct fdtable *t, struct path_name *onto);

#endif
