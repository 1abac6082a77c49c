/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The directories that a thread keeps open after it has read them, because it opens their
 * subdirectories in them. All zeros but max: none.
 */
#ifndef CLI_FSSTATS_HELD_H
#define CLI_FSSTATS_HELD_H

#include "subtree.h"

enum { HELD_MAX = 4 };

struct held_directories {
	struct held_directory {
		struct subtree *of;
		int fd;
	} at[HELD_MAX]; /* the last used one first */
	size_t count;
	size_t max; /* 1 .. HELD_MAX */
};

/* Returns the descriptor of a directory (or NULL), -1 if it is not held. */
int held_find(struct held_directories *h, const struct subtree *d);
/*
 * Takes the descriptor of a directory that was read, in place of the one that was not used longest.
 */
void held_add(struct held_directories *h, struct subtree *d, int fd);
void held_release(struct held_directories *h);

#endif
