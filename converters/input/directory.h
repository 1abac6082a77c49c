/* SPDX-License-Identifier: BSD-2-Clause */
/* The regular files below a directory, sorted by name; and the temporary file for those of tars. */
#ifndef CONVERTERS_INPUT_DIRECTORY_H
#define CONVERTERS_INPUT_DIRECTORY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "lib/base/error.h"

#include "archive.h"

/* As error_system, of errno and a path, which is escaped. */
int input_path_error(struct error *error, const char *path);

/* Which file a name was found to refer to. */
struct identity {
	uint64_t device, inode;
};

/* Start with {0}. */
struct directory_list {
	struct directory_entry {
		char *path;
		uint64_t size;
		struct identity identity;
	} * found;
	struct identity root; /* of the directory itself */
	size_t count, capacity, max;
	uint64_t skipped; /* links, devices and the like; links are not followed */
};

enum { DIRECTORY_DEPTH_MAX = 32 };

/* At most `most` files, in folders at most DIRECTORY_DEPTH_MAX deep. */
int directory_list_read(struct directory_list *f, const char *path, size_t max,
			struct error *error);
void directory_list_free(struct directory_list *f);

/*
 * Opens the regular file that was found at `path`, which must still be that file. In front of
 * path[root_size] is the directory that was searched, if root_size is not 0: no link is followed
 * from there on. Never waits for a writer. -1, with *error set.
 */
int found_open(const char *path, const struct identity *identity, size_t root_size,
	       const struct identity *root, struct error *error);
/* The identity of an examined file. */
struct identity identity_of(const struct stat *st);

#define INPUT_TEMPFILE_MAX ((uint64_t)64 << 30)

/* A temporary file that has no name, in $TMPDIR or /tmp. */
struct input_tempfile {
	int fd; /* -1: not open */
	uint64_t size;
};

int input_tempfile_open(struct input_tempfile *s, struct error *error);
/*
 * Appends the bytes of the tar's current file; holes stay holes. *size gets its bytes, also of a
 * part. IOT_OK, a status with *error set, or, with *error left alone, that of the tar.
 */
int input_tempfile_file(struct input_tempfile *s, struct tar *t, uint64_t *size,
			struct error *error);

#endif
