/* SPDX-License-Identifier: BSD-2-Clause */
/* The regular files below a directory, sorted by name; and the temporary file for those of tars. */
#ifndef CONVERTERS_INPUT_DIRECTORY_H
#define CONVERTERS_INPUT_DIRECTORY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "lib/base/error.h"

#include "archive.h"

/* As iot_error_system, of errno and a path, which is escaped. */
int iot_path_error(struct iot_error *error, const char *path);

/* Which file a name was found to refer to. */
struct iot_identity {
	uint64_t device, inode;
};

/* Start with {0}. */
struct iot_folder {
	struct iot_found {
		char *path;
		uint64_t size;
		struct iot_identity identity;
	} * found;
	struct iot_identity root; /* of the directory itself */
	size_t count, room, most;
	uint64_t skipped; /* links, devices and the like; links are not followed */
};

enum { IOT_DEPTH_MAX = 32 };

/* At most `most` files, in folders at most IOT_DEPTH_MAX deep. */
int iot_folder_read(struct iot_folder *f, const char *path, size_t most, struct iot_error *error);
void iot_folder_free(struct iot_folder *f);

/*
 * Opens the regular file that was found at `path`, which must still be that file. In front of
 * path[root_size] is the directory that was searched, if root_size is not 0: no link is followed
 * from there on. Never waits for a writer. -1, with *error set.
 */
int iot_found_open(const char *path, const struct iot_identity *identity, size_t root_size,
		   const struct iot_identity *root, struct iot_error *error);
/* The identity of an examined file. */
struct iot_identity iot_identity_of(const struct stat *st);

#define IOT_SPOOL_MAX ((uint64_t)64 << 30)

/* A temporary file that has no name, in $TMPDIR or /tmp. */
struct iot_spool {
	int fd; /* -1: not open */
	uint64_t size;
};

int iot_spool_open(struct iot_spool *s, struct iot_error *error);
/*
 * Appends the bytes of the tar's current file; holes stay holes. *size gets its bytes, also of a
 * part. IOT_OK, a status with *error set, or, with *error left alone, that of the tar.
 */
int iot_spool_file(struct iot_spool *s, struct iot_tar *t, uint64_t *size, struct iot_error *error);

#endif
