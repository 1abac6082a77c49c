/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A directory that is to be read: its name, and its identity, which it must still have when opened.
 */
#ifndef CLI_FSSTATS_SUBTREE_H
#define CLI_FSSTATS_SUBTREE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct subtree {
	struct subtree *parent; /* NULL: a root */
	struct subtree *next;   /* in a queue */
	_Atomic uint32_t users; /* itself while queued or read, and its children */
	int root_fd;            /* of the tree */
	uint64_t device, inode;
	uint64_t path_hash; /* of the path; the same on all nodes */
	uint64_t key;       /* of the files in it, if directories or projects are keys */
	bool by_inode;      /* entries of large directories are looked at in this order */
	uint32_t depth;     /* 0: a root */
	uint32_t size;      /* of the name */
	char name[];
};

/*
 * Makes a subtree that uses its parent, and sets depth and path_hash; for a root, the caller sets
 * the hash. Returns NULL if out of memory.
 */
struct subtree *subtree_new(struct subtree *parent, const char *name, size_t size);
void subtree_use(struct subtree *d);
/* Ends a use. The last one frees the subtree and ends its use of the parent. */
void subtree_release(struct subtree *d);
/* Returns the bytes that a subtree needs. */
size_t subtree_bytes(const struct subtree *d);
/* Returns whether a directory with this identity is d or an ancestor of it. */
bool subtree_is_inside(const struct subtree *d, uint64_t device, uint64_t inode);

/*
 * Opens the directory, in its parent if parent_fd is not -1, else from the root of its tree,
 * without following links. *touched: whether reading it may change its access time. Returns -1 with
 * errno set; ESTALE: another directory has its path.
 */
int subtree_open(const struct subtree *d, int parent_fd, bool *touched);

/* Writes the path of d, or of its entry `name` unless NULL, escaped and cut to the capacity. */
void subtree_path(const struct subtree *d, const char *name, char *text, size_t capacity);

#endif
