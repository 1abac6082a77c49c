/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The directory of a recording: shared memory between the traced processes and the collector, of
 * mode 0700, in $XDG_RUNTIME_DIR, /dev/shm or $TMPDIR.
 */
#ifndef CLI_RECORD_RECORDING_H
#define CLI_RECORD_RECORDING_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "record/ring.h"

struct recording {
	char path[PATH_MAX]; /* "" if there is none */
	int fd;
	int pipe; /* RECORD_PACKETS: for reading; else -1 */
	struct record_control *control;
};

/*
 * Creates the directory with the control file, with the settings of `control`; the size of
 * rings depends on the space there. Removes directories of collectors of this user that were
 * killed. Returns false with errno set if no directory can be used.
 */
bool recording_create(struct recording *r, const struct record_control *control);
/* Opens a recording of this user that runs. Returns false if there is none. */
bool recording_find(struct recording *r, const char *path);
/*
 * Opens a recording of this user whose collector has ended and left a spool, and becomes its
 * collector. Returns NULL, or what is wrong with it.
 */
const char *recording_resume(struct recording *r, const char *path);
/* Closes a recording without removing it. */
void recording_close(struct recording *r);
/*
 * Adds a process, which will run the program: a file joined.PID that contains its name. Returns
 * false with errno set.
 */
bool recording_add(const struct recording *r, pid_t pid, const char *program);
/* Removes the directory with all files in it. Returns false with errno set on failure. */
bool recording_remove(struct recording *r);

#endif
