/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An output file. If the path is absent or a regular file, the data is written to a temporary file
 * in the same directory, which replaces the target when it is complete and on disk; anything else
 * (a FIFO, a device) is written directly.
 */
#ifndef LIB_BASE_ATOMIC_FILE_H
#define LIB_BASE_ATOMIC_FILE_H

#include <stdbool.h>

#include "lib/base/error.h"

/* Initialize to zero before open; fd is valid while open is set. */
struct atomic_file {
	int fd;
	bool open, unlinked, in_place; /* unlinked: has no name until it is complete */
	bool private, sync;
	char *target, *temporary; /* NULL if nothing is to be renamed */
};

/* Bits of `how`. */
enum {
	/*
	 * Creates the file with mode 0600 whatever the mode of the replaced file, and refuses to
	 * follow a link of another user or to replace another user's file.
	 */
	ATOMIC_FILE_PRIVATE = 1,
	/* Does not wait for the disk: after a power failure the name may refer to an empty file. */
	ATOMIC_FILE_NO_SYNC = 2,
	/* Creates or truncates the file under its final name. */
	ATOMIC_FILE_IN_PLACE = 4,
	/* ... which must not exist, even as a link. */
	ATOMIC_FILE_NEW = 8,
};

/*
 * `name` is the escaped path, for messages. Returns the status of *e; leaves no file after an
 * error.
 */
int atomic_file_open(struct atomic_file *f, const char *path, unsigned how, const char *name,
		     struct error *e);

/*
 * Returns the path of the file that would be replaced, with all links followed; the caller frees
 * it. Returns NULL with errno set on failure.
 */
char *atomic_file_target(const char *path);

/*
 * Syncs, closes, renames and syncs the directory. If that fails, or *e was set before, acts as
 * atomic_file_drop.
 */
int atomic_file_commit(struct atomic_file *f, const char *name, struct error *e);

/* Closes the file and removes the temporary file, if one exists. Does nothing if not open. */
void atomic_file_drop(struct atomic_file *f);

#endif
