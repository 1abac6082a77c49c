/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of hosts with Slurm's brackets: n[001-004,7],login1. */
#ifndef CLI_JOBS_HOST_LIST_H
#define CLI_JOBS_HOST_LIST_H

#include <stdbool.h>
#include <stddef.h>

enum { HOST_LIST_MAX = 1 << 20 /* hosts of a list */, HOST_NAME_MAX_BYTES = 4096 };

/* Receives the name of a host. Returns false to end the list early. */
typedef bool host_fn(void *context, const char *host, size_t size);

enum host_list_result { HOST_LIST_OK, HOST_LIST_WRONG, HOST_LIST_TOO_LONG, HOST_LIST_ENDED };

/*
 * Calls fn for each host of a list, in its order. A name may have several brackets. At the first
 * name that is wrong, the list ends, without the hosts of that name.
 */
enum host_list_result host_list_expand(const char *list, host_fn *fn, void *context);

#endif
