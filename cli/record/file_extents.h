/* SPDX-License-Identifier: BSD-2-Clause */
/* Asks the kernel where the bytes of a file are on its disk (FIEMAP). */
#ifndef CLI_RECORD_FILE_EXTENTS_H
#define CLI_RECORD_FILE_EXTENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	FILE_EXTENTS_MAX = 1 << 20, /* of one file */
	DISK_NAME_MAX = 32          /* "MAJOR,MINOR" */
};

struct file_identity {
	uint64_t device, inode; /* st_dev and st_ino */
	int64_t birth;          /* ns since 1970; 0: the file system has none */
};

struct file_extent {
	uint64_t offset, length; /* bytes of the file */
	uint64_t sector;         /* of 512 bytes, on the disk */
};

struct file_extents {
	struct file_extent *extent; /* owned */
	size_t count, capacity;
	char disk[DISK_NAME_MAX]; /* of a partition, its disk */
	bool
	    delayed; /* the file has bytes that have no place yet: they are not among the extents */
};

void file_extents_free(struct file_extents *x);
/*
 * Reads the extents of the file if it still has this path and identity. sync: writes back its
 * bytes first, so that all of them have a place. Returns 0, or an errno: ESTALE if the path is
 * another file, ENODEV if its file system is not on one disk, EOVERFLOW if there are too many
 * extents; *to is unchanged then.
 */
int file_extents_read(struct file_extents *to, const char *path, const struct file_identity *of,
		      bool sync);

#endif
