/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names as a tree of directories. A node is the name of a file, a directory or a symbolic link, so that
 * a renamed directory is one node that moves, whatever lies below it. There are two roots: "/", and
 * the directory where the trace began, as long as its path is not known.
 */
#ifndef CONVERTERS_FDTABLE_PATH_TREE_H
#define CONVERTERS_FDTABLE_PATH_TREE_H

#include "fdtable.h"

struct path_name {
	struct path_name *parent; /* NULL: a root */
	struct path_name *child, *prev, *next;
	struct path_name *chain; /* others of the same hash */
	struct tracked_file *file;
	char *text, *link; /* link: where a symbolic link leads; NULL: it is none */
	uint32_t size, link_size, hash, id;
	bool absent; /* known not to exist */
};

enum path_walk {
	WALK_MAKE = 1,   /* nodes that are missing */
	WALK_FOLLOW = 2, /* a symbolic link at the end, too */
	WALK_REAL = 4,   /* the path has no symbolic links: those known are gone */
};

/*
 * The node of a path. NULL: there is none, or its links lead nowhere. *linked, unless NULL, says
 * whether symbolic links were followed.
 */
struct path_name *tree_walk(struct fdtable *t, const char *path, size_t size, unsigned how,
			    bool *linked);
/* The path of a node to out (PATH_ROOM bytes); 0: it is too long. */
size_t tree_path(const struct path_name *n, char *out);
/* The node is the name of f from now on; NULL: of nothing. */
void tree_point(struct fdtable *t, struct path_name *n, struct tracked_file *f);
void tree_set_link(struct fdtable *t, struct path_name *n, const char *target, size_t size);
/* Frees all below a node. */
void tree_prune(struct fdtable *t, struct path_name *n);
/* Moves `n` with all below it to the place of `to`, which is gone then; a new, absent node takes its
 * place. False: no memory, nothing has changed. */
bool tree_move(struct fdtable *t, struct path_name *n, struct path_name *to);
bool tree_exchange(struct fdtable *t, struct path_name *a, struct path_name *b);
/* Is `n` the node `top`, or below it? */
bool tree_within(const struct path_name *n, const struct path_name *top);
/* All below the second root moves below `onto`. */
void tree_graft(struct fdtable *t, struct path_name *onto);

#endif
