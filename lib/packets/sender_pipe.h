/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes to the pipe of a traced program, whose signals and errno it leaves as they are. */
#ifndef LIB_PACKETS_SENDER_PIPE_H
#define LIB_PACKETS_SENDER_PIPE_H

#include <stddef.h>

/* What to do if the pipe is full. */
enum full_pipe { PIPE_WAIT, PIPE_DROP };

/*
 * Writes all bytes: atomically if fd is a pipe with enough space and size is at most PIPE_BUF.
 * Returns 0, or the errno; EAGAIN if the pipe is full and nothing was written.
 */
int sender_pipe_write(int fd, const void *data, size_t size, enum full_pipe full);

#endif
