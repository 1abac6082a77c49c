/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that describe a process. */
#ifndef CLI_RECORD_PROC_FILE_H
#define CLI_RECORD_PROC_FILE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Reads /proc/PID/NAME up to capacity - 1 bytes, and adds a NUL. Returns the size, 0 if the file cannot
 * be read.
 */
size_t proc_file_read(uint32_t pid, const char *name, char *text, size_t capacity);

#endif
