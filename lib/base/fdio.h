/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files by descriptor: read and written in full, as read(2) and its like may stop early or be
 * interrupted; and temporary files, which have no name, so that they are gone with the process.
 */
#ifndef LIB_BASE_FDIO_H
#define LIB_BASE_FDIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Instead of a place: where the descriptor stands, which moves on. */
#define FDIO_CURRENT UINT64_MAX

/* The bytes read: all `size`, fewer only where the file ends; -1: errno tells why. */
ssize_t fdio_read(int fd, void *to, size_t size, uint64_t at);
/* All of them are written; or false: errno tells why not. */
bool fdio_write(int fd, const void *from, size_t size, uint64_t at);

/* $TMPDIR, or /tmp. */
const char *tempfile_directory(void);
/* A file there that has no name, for reading and writing; -1: errno tells why not. */
int tempfile_open(void);

#endif
