/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The name under which record processes of one user on one host share a recording: a file that
 * contains the path of the recording's directory, and whose lock orders what they do. The first one
 * publishes its recording; others add their programs to it. The first one removes the name, and
 * with that ends the recording, only while it has the lock and no program is left.
 */
#ifndef CLI_RECORD_JOIN_H
#define CLI_RECORD_JOIN_H

#include <limits.h>
#include <stdbool.h>

struct join {
	char path[PATH_MAX]; /* of the file */
	int fd;              /* locked, until it is published or closed; -1: none */
};

/* Returns whether a name has 1 to 64 letters, digits, '-', '_' or '.', the first of them no '.'. */
bool join_is_name(const char *name);
/*
 * Creates the file unless it exists, waits for its lock, and stores its content, "" in a new one.
 * Returns false with errno set; EPERM if the file belongs to another user.
 */
bool join_open(struct join *j, const char *name, char recording[PATH_MAX]);
/* Stores the path of the recording, and releases the lock. Returns false with errno set. */
bool join_publish(struct join *j, const char *recording);
void join_lock(struct join *j);
void join_unlock(struct join *j);
/* Removes the file if asked to, and releases the lock. */
void join_close(struct join *j, bool remove);

#endif
