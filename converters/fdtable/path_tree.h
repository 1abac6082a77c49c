/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names as a tree of directories. A node is the name of a file, a directory or a symbolic link, so that
 * a renamed directory is one node that moves, whatever lies below it. There are two roots: "/", and
 * the directory where the trace began, as long as its path is not known.
 */
#ifndef CONVERTERS_FDTABLE_PATH_TREE_H
#define CONVERTERS_FDTABLE_PATH_TREE_H

#include "fdtable.h"

struct iot_name {
	struct iot_name *parent; /* NULL: a root */
	struct iot_name *child, *prev, *next;
	struct iot_name *chain; /* others of the same hash */
	struct iot_tracked_file *file;
	char *text, *link; /* link: where a symbolic link leads; NULL: it is none */
	uint32_t size, link_size, hash, id;
	bool absent; /* known not to exist */
};

enum iot_walk {
	IOT_WALK_MAKE = 1,   /* nodes that are missing */
	IOT_WALK_FOLLOW = 2, /* a symbolic link at the end, too */
	IOT_WALK_REAL = 4,   /* the path has no symbolic links: those known are gone */
};

/*
 * The node of a path. NULL: there is none, or its links lead nowhere. *linked, unless NULL, says
 * whether symbolic links were followed.
 */
struct iot_name *iot_tree_walk(struct iot_tracker *t, const char *path, size_t size, unsigned how,
			       bool *linked);
/* The path of a node to out (IOT_PATH_ROOM bytes); 0: it is too long. */
size_t iot_tree_path(const struct iot_name *n, char *out);
/* The node is the name of f from now on; NULL: of nothing. */
void iot_tree_point(struct iot_tracker *t, struct iot_name *n, struct iot_tracked_file *f);
void iot_tree_set_link(struct iot_tracker *t, struct iot_name *n, const char *target, size_t size);
/* Frees all below a node. */
void iot_tree_prune(struct iot_tracker *t, struct iot_name *n);
/* Moves `n` with all below it to the place of `to`, which is gone then; a new, absent node takes its
 * place. False: no memory, nothing has changed. */
bool iot_tree_move(struct iot_tracker *t, struct iot_name *n, struct iot_name *to);
bool iot_tree_exchange(struct iot_tracker *t, struct iot_name *a, struct iot_name *b);
/* Is `n` the node `top`, or below it? */
bool iot_tree_within(const struct iot_name *n, const struct iot_name *top);
/* All below the second root moves below `onto`. */
void iot_tree_graft(struct iot_tracker *t, struct iot_name *onto);

#endif
