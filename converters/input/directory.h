/* SPDX-License-Identifier: BSD-2-Clause */
/* The regular files below a directory, sorted by name. */
#ifndef CONVERTERS_INPUT_DIRECTORY_H
#define CONVERTERS_INPUT_DIRECTORY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "lib/base/error.h"

/* As error_system() with errno and a path, which is escaped here. */
int input_path_error(struct error *error, const char *path);

/* The file that a path referred to when it was found. */
struct identity {
	uint64_t device, inode;
};

/* Initialize with {0}. */
struct directory_list {
	struct directory_entry {
		char *path;
		uint64_t size;
		struct identity identity;
	} * found;
	struct identity root; /* of the directory itself */
	size_t count, capacity, max;
	uint64_t skipped; /* links (which are not followed), devices and the like */
};

enum { DIRECTORY_DEPTH_MAX = 32 };

/* Lists at most `max` files, in directories nested at most DIRECTORY_DEPTH_MAX deep. */
int directory_list_read(struct directory_list *f, const char *path, size_t max,
			struct error *error);
void directory_list_free(struct directory_list *f);

/*
 * Opens the regular file that was found at `path`, which must still be the same file. If root_size
 * is not 0, path[0..root_size) is the directory that was searched, and no link below it is
 * followed. Does not block on a FIFO without a writer. Returns -1 with *error set.
 */
int found_open(const char *path, const struct identity *identity, size_t root_size,
	       const struct identity *root, struct error *error);
/* Returns the identity of a file from its stat. */
struct identity identity_of(const struct stat *st);

#endif
