/* SPDX-License-Identifier: BSD-2-Clause */
/* Replaces the system calls of I/O in libc and ld.so by jumps to stubs. */
#ifndef RECORD_PATCH_H
#define RECORD_PATCH_H

#include <stdbool.h>

/*
 * Returns whether the calls of libc lead to stubs from now on; if not, nothing was changed. To be
 * called while the process has one thread.
 */
bool patch_libraries(void);

#endif
