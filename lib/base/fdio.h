/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Complete reads and writes on descriptors, as read(2) and write(2) may be short or interrupted;
 * and unlinked temporary files, which vanish with the process.
 */
#ifndef LIB_BASE_FDIO_H
#define LIB_BASE_FDIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Offset argument for the current position of the descriptor, which then advances. */
#define FDIO_CURRENT UINT64_MAX

/*
 * Returns the bytes read: `size`, or fewer only at the end of the file; -1 with errno set on
 * failure.
 */
ssize_t fdio_read(int fd, void *to, size_t size, uint64_t at);
/* Returns true if all bytes were written, or false with errno set. */
bool fdio_write(int fd, const void *from, size_t size, uint64_t at);

#endif
