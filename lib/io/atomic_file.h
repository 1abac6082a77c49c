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
struct iot_outfile {
	int fd;
	bool open, nameless, in_place; /* nameless: until it is complete */
	bool private, sync;
	char *target, *temporary; /* NULL: nothing to rename */
};

/* Bits of `how`. */
enum {
	/*
	 * Mode 0600 whatever the mode of the file replaced, and neither through a link of another
	 * user nor in place of another user's file.
	 */
	IOT_OUTFILE_PRIVATE = 1,
	/* Do not wait for the disk: after a power failure the name may refer to an empty file. */
	IOT_OUTFILE_NO_SYNC = 2,
	/* The file is made or truncated, and has its name from the start. */
	IOT_OUTFILE_IN_PLACE = 4,
};

/* `name` is the escaped path, for messages. The status is that of *e; after an error nothing is left. */
int iot_outfile_open(struct iot_outfile *f, const char *path, unsigned how, const char *name,
		     struct iot_error *e);

/* The path, for free, of the file that would be replaced: all links followed. NULL sets errno. */
char *iot_outfile_target(const char *path);

/* Syncs, closes, renames and syncs the directory. If that fails, or *e was set before: as iot_outfile_drop. */
int iot_outfile_commit(struct iot_outfile *f, const char *name, struct iot_error *e);

/* Closes; the temporary file, if there still is one, is removed. Harmless when not open. */
void iot_outfile_drop(struct iot_outfile *f);

#endif
