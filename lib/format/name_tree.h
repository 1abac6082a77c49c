/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of objects as a tree of directories: renaming a directory moves one node, however many
 * names are below it. Objects have numbers in the order in which they got their names.
 */
#ifndef LIB_FORMAT_NAME_TREE_H
#define LIB_FORMAT_NAME_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <iotrace/iotrace.h>

/* All zeros: empty. */
struct name_tree {
	struct name_node *node;
	size_t count, capacity;
	uint32_t *bucket; /* first node + 1, by parent and text */
	size_t buckets;
	uint32_t *of; /* nodes of objects */
	size_t objects, object_capacity;
};

/*
 * Gives the next object its name, which another object may have had before. The text of the path
 * must be valid as long as the tree. Returns false if out of memory.
 */
bool name_tree_add(struct name_tree *t, struct iot_text path);
/*
 * Moves the name `from`, with all names below it, to `to`, whose object then has that name no
 * longer. Does nothing if the new name is too deep for a path. The text of `to` must be valid as
 * long as the tree. Returns false if out of memory.
 */
bool name_tree_move(struct name_tree *t, struct iot_text from, struct iot_text to);
/*
 * Exchanges two names, with all names below each. If only one of them is known, it is moved to the
 * other. Does nothing if one is below the other. The texts must be valid as long as the tree.
 * Returns false if out of memory.
 */
bool name_tree_exchange(struct name_tree *t, struct iot_text one, struct iot_text other);
/* Returns the size of the path of an object, 0 if it was never moved, or is too long for a path. */
size_t name_tree_moved_size(const struct name_tree *t, size_t object);
/* Writes that path. */
void name_tree_path(const struct name_tree *t, size_t object, char *out);
void name_tree_free(struct name_tree *t);

#endif
