/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that describe a process. */
#ifndef CLI_RECORD_PROC_FILE_H
#define CLI_RECORD_PROC_FILE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Reads /proc/PID/NAME up to capacity - 1 bytes, and adds a NUL. Returns the size, 0 if the file
 * cannot be read.
 */
size_t proc_file_read(uint32_t pid, const char *name, char *text, size_t capacity);

/* Returns when a process started: field 22 of /proc/PID/stat; 0 if it is unknown. */
uint64_t process_start(uint32_t pid);

#endif
