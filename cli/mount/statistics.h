/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_MOUNT_STATISTICS_H
#define CLI_MOUNT_STATISTICS_H

#include "mount.h"

/* Passes on the lines that statistics_print() prints. */
void statistics_each(const struct mount *m, void (*line)(void *to, const char *text), void *to);
/* Prints calls, bytes and times of each kind of request, and of the buffers, on standard error. */
void statistics_print(const struct mount *m);
/* Returns the number of all calls. */
uint64_t statistics_calls(const struct mount *m);

#endif
