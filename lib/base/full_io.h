/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and writes of the full size, as read(2) and write(2) may stop early or be interrupted. */
#ifndef LIB_BASE_FULL_IO_H
#define LIB_BASE_FULL_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Offset argument for the current position of the descriptor, which then advances. */
#define FULL_IO_CURRENT UINT64_MAX

/*
 * Returns the bytes read: `size`, or fewer only at the end of the file; -1 with errno set on
 * failure.
 */
ssize_t full_read(int fd, void *to, size_t size, uint64_t at);
/* Returns true if all bytes were written, or false with errno set. */
bool full_write(int fd, const void *from, size_t size, uint64_t at);

#endif
