/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_RECORD_NAMESPACES_H
#define CLI_RECORD_NAMESPACES_H

#include <stdint.h>

/*
 * Returns the inode of the PID namespace of a process, of this one if pid is 0; 0 if it is unknown.
 */
uint64_t namespaces_of(uint32_t pid);
/* Returns the device of /proc, 0 if it is unknown. */
uint64_t namespaces_proc(void);
/*
 * Returns the pid in our PID namespace of the process that has another one in the namespace with
 * this inode; 0 if there is none. Reads /proc.
 */
uint32_t namespaces_find(uint64_t inode, uint32_t pid);

#endif
