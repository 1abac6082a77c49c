/* SPDX-License-Identifier: BSD-2-Clause */
/* Asynchronous transfers between their submission and their completion. No lock, a fixed table. */
#ifndef RECORD_REQUESTS_H
#define RECORD_REQUESTS_H

#include "call.h"

/* A transfer of `fd` is about to be submitted; `key` identifies it until it completes. */
void request_submit(struct producer *p, const void *key, int fd, int64_t offset, unsigned bits);
/* The submission failed. */
void request_cancel(const void *key);
/* The program learns that the transfer has completed. Only the first call counts. */
void request_note_end(const void *key);
/* Records the transfer with its result, which may be negative. */
void request_complete(struct producer *p, const void *key, int64_t result);

#endif
