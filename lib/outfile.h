/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file being written. A path that is absent or a regular file gets a temporary file beside it,
 * which takes its place when it is complete; anything else (a FIFO, a device) is written directly.
 */
#ifndef IOT_LIB_OUTFILE_H
#define IOT_LIB_OUTFILE_H

#include <stdbool.h>

#include "error.h"

/* All zero before open; fd is valid while open is set. */
struct iot_outfile {
	int fd;
	bool open, nameless;      /* nameless: until it is complete */
	char *target, *temporary; /* NULL: nothing to rename */
};

/* `name` is the escaped path, for messages. The status is that of *e; after an error nothing is left. */
int iot_outfile_open(struct iot_outfile *f, const char *path, const char *name,
		     struct iot_error *e);

/* Closes and renames. If that fails, or *e was set before: as iot_outfile_drop. */
int iot_outfile_commit(struct iot_outfile *f, const char *name, struct iot_error *e);

/* Closes; the temporary file, if there still is one, is removed. Harmless when not open. */
void iot_outfile_drop(struct iot_outfile *f);

#endif
