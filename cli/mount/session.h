/* SPDX-License-Identifier: BSD-2-Clause */
/* Mounts the file system and serves its requests on threads. */
#ifndef CLI_MOUNT_SESSION_H
#define CLI_MOUNT_SESSION_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "mount.h"

struct session {
	struct mount *m;
	pthread_t thread;
	int ended; /* eventfd: it has ended; -1: none */
	bool mounted;
	unsigned threads;
};

/* Mounts. Prints a message and returns false if that is impossible. */
bool session_start(struct session *s, struct mount *m, unsigned threads);
/* Ends the threads, and unmounts unless it is unmounted already. */
void session_end(struct session *s);
/* Unmounts, even if nothing serves the mount any more. Returns 0 or an errno. */
int session_unmount(const char *point);

#endif
