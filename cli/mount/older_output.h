/* SPDX-License-Identifier: BSD-2-Clause */
/* An existing file under the name of the trace, which is kept until the mount records. */
#ifndef CLI_MOUNT_OLDER_OUTPUT_H
#define CLI_MOUNT_OLDER_OUTPUT_H

#include <limits.h>
#include <stdbool.h>

struct older_output {
	int directory; /* of both names, opened before it may be below the mount point; -1: none */
	bool is_new;   /* there was no file */
	char name[NAME_MAX + 1], aside[NAME_MAX + 1]; /* aside: "" without an older file */
};

/* Gives a regular file another name. Where that is impossible, the trace will replace it. */
void older_output_set_aside(struct older_output *o, const char *path);
/* Removes the new file, and gives the older one its name again. */
void older_output_restore(struct older_output *o);
/* Removes the older file. */
void older_output_remove(struct older_output *o);

#endif
