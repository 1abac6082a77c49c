/* SPDX-License-Identifier: BSD-2-Clause */
/* One run of iotrace mount: from the mount to the complete trace. */
#ifndef CLI_MOUNT_JOB_H
#define CLI_MOUNT_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/cmd.h"
#include "cli/record/glob_list.h"
#include "cli/record/ring_events.h"

struct mount_options {
	const char *out; /* NULL: a name made from the mount point */
	bool quiet;
	bool cached; /* all files with the page cache: --view=kernel */
	bool drop;   /* if both buffers are full, drop records */
	uint64_t buffer, threads;
	struct glob_list mapped; /* files with the page cache */
	struct ring_events_options events;
	struct live_control *live;
	char **program; /* ends with NULL; NULL: none */
};

/* Returns the exit status of the command. Prints what failed. */
int mount_run(const struct mount_options *options, const char *source, const char *point);
/* Unmounts, and waits until the trace is complete. */
enum exit_status mount_stop(const char *point);

#endif
