/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The processes that make requests. A request has the id of its thread; /proc has the process, its
 * parent and its program. They are looked up again when the thread opens a file, and after a while,
 * because ids are reused and processes change their program.
 */
#ifndef CLI_MOUNT_REQUESTERS_H
#define CLI_MOUNT_REQUESTERS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "buffers.h"
#include "lib/base/idmap.h"

enum { REQUESTERS_CACHED = 64 }; /* a power of two */

struct cached_requester {
	uint32_t tid, pid;
	uint64_t until; /* of the recording's clock: look it up again */
};

/* A process, as the last RECORD_START announced it. */
struct announced {
	uint64_t start, program; /* field 22 of /proc/PID/stat; hash of the program's name */
};

struct requesters {
	pthread_mutex_t mutex;
	struct idmap pids;
	struct announced *announced;
	size_t capacity;
	uint64_t age; /* how long an answer is valid, in units of the clock */
};

bool requesters_init(struct requesters *c, const struct clock_map *clock);
void requesters_free(struct requesters *c);
/*
 * Returns the process and thread of a request. Appends a RECORD_START if the process or its program
 * is new. fresh: looks the thread up even if the answer is recent
 */
struct buffered requesters_find(struct requesters *c,
				struct cached_requester cache[REQUESTERS_CACHED], uint32_t tid,
				bool fresh, uint64_t now, struct buffer_pair *b,
				struct appender *a);

#endif
