/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file being written. A path that is absent or a regular file gets a temporary file beside it,
 * which takes its place when it is complete and on the disk; anything else (a FIFO, a device) is
 * written directly.
 */
#ifndef LIB_IO_ATOMIC_FILE_H
#define LIB_IO_ATOMIC_FILE_H

#include <stdbool.h>

#include "lib/base/error.h"

/* All zero before open; fd is valid while open is set. */
struct atomic_file {
	int fd;
	bool open, unlinked, in_place; /* nameless: until it is complete */
	bool private, sync;
	char *target, *temporary; /* NULL: nothing to rename */
};

/* Bits of `how`. */
enum {
	/*
	 * Mode 0600 whatever the mode of the file replaced, and neither through a link of another
	 * user nor in place of another user's file.
	 */
	ATOMIC_FILE_PRIVATE = 1,
	/* Do not wait for the disk: after a power failure the name may refer to an empty file. */
	ATOMIC_FILE_NO_SYNC = 2,
	/* The file is made or truncated, and has its name from the start. */
	ATOMIC_FILE_IN_PLACE = 4,
};

/* `name` is the escaped path, for messages. The status is that of *e; after an error nothing is left. */
int atomic_file_open(struct atomic_file *f, const char *path, unsigned how, const char *name,
		     struct error *e);

/* The path, for free, of the file that would be replaced: all links followed. NULL sets errno. */
char *atomic_file_target(const char *path);

/* Syncs, closes, renames and syncs the directory. If that fails, or *e was set before: as atomic_file_drop. */
int atomic_file_commit(struct atomic_file *f, const char *name, struct error *e);

/* Closes; the temporary file, if there still is one, is removed. Harmless when not open. */
void atomic_file_drop(struct atomic_file *f);

#endif
