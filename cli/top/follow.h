/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads a file that another process is writing, or a pipe: at the end of the file it waits for
 * more, until no process has the file open for writing. follow_stop ends the input at any time.
 */
#ifndef CLI_TOP_FOLLOW_H
#define CLI_TOP_FOLLOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include <iotrace/iotrace.h>

struct follow {
	int fd;
	int stop;          /* eventfd */
	int notices;       /* inotify; -1: the file is examined again each second */
	bool file;         /* regular */
	atomic_bool ended; /* nothing follows what has been read */
	atomic_bool idle;  /* all that a file contained has been read once */
};

/* Opens path, "-" for standard input; waits three seconds for a file that does not exist yet.
 * Returns false after a message. */
bool follow_open(struct follow *f, const char *path);
/* Opens its trace, which may still be empty. Returns false after a message. */
bool follow_open_trace(struct follow *f, struct iot_reader *reader, const char *name);
/* Wakes a waiting reader, which then ends; from any thread. */
void follow_stop(struct follow *f);
void follow_close(struct follow *f);

#endif
