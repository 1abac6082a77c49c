/* SPDX-License-Identifier: BSD-2-Clause */
/* Rings of io_uring, whose requests become no records: rings and requests are counted. */
#ifndef RECORD_URING_H
#define RECORD_URING_H

#include <stdint.h>

/* A call has created the ring `fd`, with its params; NULL: unknown. */
void uring_opened(int fd, const void *params);
/* Counts the requests of a ring that this process is about to close. */
void uring_closes(int fd);
/* Counts the requests of all rings; the process is about to end, or to run another program. */
void uring_ends(void);
/* The program could not be run: undoes that. */
void uring_continues(void);

#endif
