/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files of the source that the kernel knows, by device and inode number. Each has an O_PATH
 * descriptor, which also keeps its number from being used again.
 */
#ifndef CLI_MOUNT_INODES_H
#define CLI_MOUNT_INODES_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "lib/base/idmap.h"

struct inode {
	int fd; /* O_PATH */
	mode_t type;
	uint64_t device, number;
	uint64_t lookups;    /* references of the kernel */
	struct inode *equal; /* the next one with the same hash */
};

struct inodes {
	pthread_mutex_t mutex;
	struct idmap hashes;
	struct inode **inode; /* by number of the hash */
	size_t capacity;
};

bool inodes_init(struct inodes *t);
/* Closes all descriptors. */
void inodes_free(struct inodes *t);
/*
 * Returns the inode of an O_PATH descriptor, and adds a lookup. The table owns the descriptor from
 * then on. Returns NULL if out of memory.
 */
struct inode *inodes_find(struct inodes *t, int fd, const struct stat *st);
/* Adds a lookup. */
void inodes_look_up(struct inodes *t, struct inode *i);
/* Removes lookups, and with the last one the inode. */
void inodes_forget(struct inodes *t, struct inode *i, uint64_t lookups);

#endif
