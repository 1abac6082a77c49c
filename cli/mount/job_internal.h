/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a run of iotrace mount. */
#ifndef CLI_MOUNT_JOB_INTERNAL_H
#define CLI_MOUNT_JOB_INTERNAL_H

#include <limits.h>

#include "cli/record/join.h"
#include "cli/record/launch.h"
#include "cli/record/live_trace.h"

#include "job.h"
#include "mount.h"
#include "older_output.h"
#include "session.h"
#include "trace.h"

struct mount_job {
	const struct mount_options *options;
	struct mount m;
	struct session session;
	struct clock_map clock;
	struct iot_writer *writer;
	struct mount_trace *trace;
	struct launch launch;
	struct join lock;
	struct older_output older;
	char name[PATH_MAX];
	uint64_t epoch_ns;
	int signals;
	int failure;                  /* with --run: the exit status if the mount fails */
	bool interrupted, configures; /* configures: the settings are to be read */
};

/* job_point.c: the mount point */

/* Stores an absolute path, also of a mount point whose file system has ended. */
bool job_find_point(const char *point, char path[PATH_MAX]);
/* Opens the lock that a mount holds until its trace is complete. */
bool job_lock(struct join *lock, const char *point);

/* job_prepare.c: each returns false after a message. */
bool job_open_source(struct mount *m, const char *source, const char *point);
bool job_open_trace(struct mount_job *j);
bool job_prepare(struct mount_job *j);

/* job_record.c: each returns a status. */

/* Writes all records that have been appended. */
int job_write(struct mount_job *j);
/* Answers requests of iotrace control, and reads the settings again if they are to be read. */
int job_answer(struct mount_job *j);
/* Writes records until the mount, or the program, ends. */
int job_record(struct mount_job *j);

#endif
