/* SPDX-License-Identifier: BSD-2-Clause */
/* The jobs that ran on each host. */
#ifndef CLI_MATCH_HOST_JOBS_H
#define CLI_MATCH_HOST_JOBS_H

#include "cli/jobs/job_list.h"
#include "lib/base/idmap.h"

enum { HOST_JOBS_PAIRS_MAX = 1 << 26 };

/* All zeros: empty. */
struct host_jobs {
	const struct job_list *list;
	struct idmap hosts;     /* by a hash of the name */
	uint32_t *job;          /* sorted by host, then by start */
	int64_t *latest_end_ns; /* of job[0..i] of one host */
	uint32_t *first;        /* the first job of each host; the last element is `count` */
	size_t count;
	uint64_t wrong;         /* lists of hosts that are not understood */
	uint64_t without_hosts; /* jobs */
};

/* Returns EXIT_OK, or the exit status after a message. */
enum exit_status host_jobs_make(struct host_jobs *h, const struct job_list *list, const char *path);
/* Returns the number of a host, or SIZE_MAX if no job ran there. */
size_t host_jobs_find(const struct host_jobs *h, const char *host, size_t size);
/*
 * Calls fn for each job that ran on a host during a part of (from_ns, to_ns]. Returns false if fn
 * did.
 */
bool host_jobs_each(const struct host_jobs *h, size_t host, int64_t from_ns, int64_t to_ns,
		    bool (*fn)(void *context, uint32_t job), void *context);
void host_jobs_free(struct host_jobs *h);

#endif
