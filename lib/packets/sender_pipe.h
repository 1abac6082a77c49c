/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets into a pipe, one write(2) for each. */
#ifndef LIB_PACKETS_SENDER_PIPE_H
#define LIB_PACKETS_SENDER_PIPE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/error.h"

enum sender_pipe_full { SENDER_PIPE_WAIT, SENDER_PIPE_DROP };

/*
 * Writes all of it: at once, where it is a pipe with room and size is at most PIPE_BUF. A full pipe
 * is waited for, or *dropped is set. A pipe that nobody reads is an error and raises no signal.
 */
int sender_pipe_send(int fd, const void *data, size_t size, enum sender_pipe_full full,
		     bool *dropped, struct error *error);

#endif
