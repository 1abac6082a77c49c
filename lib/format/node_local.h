/* SPDX-License-Identifier: BSD-2-Clause */
/* Paths in file systems that each node has of its own. */
#ifndef LIB_FORMAT_NODE_LOCAL_H
#define LIB_FORMAT_NODE_LOCAL_H

#include <stdbool.h>
#include <stddef.h>

/* Returns whether a decoded path is in /dev, /proc, /run, /sys, /tmp or /var/tmp. */
bool path_is_node_local(const char *path, size_t size);

#endif
