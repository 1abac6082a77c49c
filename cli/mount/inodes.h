/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files of the source that the kernel knows, by device and inode number. Each has an O_PATH
 * descriptor, which also keeps its number from being used again. Beyond a limit the table closes
 * the descriptors that were not used for the longest time, and opens them again by handle, as
 * open_by_handle_at(2) describes.
 */
#ifndef CLI_MOUNT_INODES_H
#define CLI_MOUNT_INODES_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "lib/base/idmap.h"

struct inode {
	int fd; /* O_PATH; -1: closed */
	mode_t type;
	uint64_t device, number;
	uint64_t lookups;            /* references of the kernel */
	unsigned users;              /* requests that need the descriptor */
	struct file_handle *handle;  /* of a closed one; else NULL */
	struct inode *equal;         /* the next one with the same hash */
	struct inode *older, *newer; /* descriptors that may be closed, by last use */
	bool may_close;
};

struct inodes {
	pthread_mutex_t mutex;
	struct idmap hashes;
	struct inode **inode; /* by number of the hash */
	size_t capacity;
	int source;      /* a descriptor of the source; -1: no descriptor is closed */
	uint64_t device; /* that has the source */
	size_t closable, closable_max;
	struct inode *oldest, *newest;
};

bool inodes_init(struct inodes *t);
/*
 * Limits the open descriptors. Without the privilege to open files by handle, or if the file system
 * of the source has no handles, all stay open. The table owns the descriptor of the source.
 */
void inodes_limit(struct inodes *t, int source, size_t max);
/* Closes all descriptors. */
void inodes_free(struct inodes *t);
/*
 * Returns the inode of an O_PATH descriptor, and adds a lookup. The table owns the descriptor from
 * then on. Returns NULL if out of memory.
 */
struct inode *inodes_find(struct inodes *t, int fd, const struct stat *st);
/*
 * Keeps the descriptor of an inode open until inodes_leave(). It is -1 if the file does not exist
 * any more.
 */
void inodes_use(struct inodes *t, struct inode *i);
void inodes_leave(struct inodes *t, struct inode *i);
/* Adds a lookup. */
void inodes_look_up(struct inodes *t, struct inode *i);
/* Removes lookups, and with the last one the inode. */
void inodes_forget(struct inodes *t, struct inode *i, uint64_t lookups);

#endif
