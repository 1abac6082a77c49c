/* SPDX-License-Identifier: BSD-2-Clause */
/* Which system calls of a library a traced process changes. */
#ifndef CLI_RECORD_SITE_CALLS_H
#define CLI_RECORD_SITE_CALLS_H

#include <stdbool.h>
#include <stdint.h>

enum { SITE_CALLS = 512 /* more than the numbers of calls */ };

/* Returns whether it becomes records, changes what descriptors refer to, or makes processes. */
bool site_call_is_wanted(int64_t number);
/* Returns whether a library has all calls without which a process would be seen in part. */
bool site_calls_suffice(const bool has_number[SITE_CALLS]);

#endif
