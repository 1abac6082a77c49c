/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The libraries of the process, and where they make system calls. The tables of these sites are
 * files of the recording; the collector makes a missing table when a process asks for it.
 */
#ifndef RECORD_LIBRARIES_H
#define RECORD_LIBRARIES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Makes the calls of all libraries of the process lead to stubs. Returns whether the calls of libc
 * do; otherwise no call is seen. The process may have only one thread.
 */
bool libraries_patch(void);
/* A file was mapped as code: part of a library that is being loaded, which nobody runs yet. */
void libraries_mapped(uint64_t at, int fd, uint64_t offset);

#endif
