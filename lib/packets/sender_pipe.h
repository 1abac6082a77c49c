/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes packets to a pipe, one write(2) each. */
#ifndef LIB_PACKETS_SENDER_PIPE_H
#define LIB_PACKETS_SENDER_PIPE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/error.h"

enum sender_pipe_full { SENDER_PIPE_WAIT, SENDER_PIPE_DROP };

/*
 * Writes all `size` bytes: atomically if fd is a pipe with enough space and size is at most
 * PIPE_BUF. If the pipe is full, waits or sets *dropped. A pipe without a reader is an error and
 * raises no signal.
 */
int sender_pipe_send(int fd, const void *data, size_t size, enum sender_pipe_full full,
		     bool *dropped, struct error *error);

#endif
