/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Joins the requests that the kernel makes of one call. A call that is longer than a request may be
 * arrives in pieces, each after the reply to the one before it. While a request waits for its
 * reply, /proc/TID/syscall has the call with its length: so a call that ended is not taken for the
 * beginning of the next one.
 */
#ifndef CLI_MOUNT_PIECES_H
#define CLI_MOUNT_PIECES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "buffers.h"
#include "record/ring.h"

enum { PIECES_MAX = 256 }; /* calls at a time; pieces of others become records */

struct piece {
	struct buffered who;
	struct record_transfer transfer; /* the pieces so far */
	uint64_t left;                   /* bytes of the call that have not arrived */
};

struct pieces {
	pthread_mutex_t mutex;
	struct piece piece[PIECES_MAX];
	_Atomic size_t count;
	_Atomic uint64_t joined; /* pieces that became part of an earlier one */
};

/* Returns whether a request of this size may be a piece of a call. */
bool pieces_may_begin(uint64_t size);
/*
 * Returns the bytes that the call that a thread waits for transfers, 0 if that is unknown. The
 * request must not have been answered.
 */
uint64_t pieces_call_size(uint32_t tid);
/*
 * Takes a transfer that is a piece of a call: `asked` is the size of the request, call_size that of
 * the call, 0 if it is unknown. Appends a record with the last piece. Returns false if the transfer
 * is a whole call.
 */
bool pieces_take(struct pieces *p, struct buffer_pair *b, struct appender *a, struct buffered who,
		 const struct record_transfer *t, uint64_t asked, uint64_t call_size);
/* Appends what has arrived of calls that used this description, which is closed. */
void pieces_end(struct pieces *p, struct buffer_pair *b, struct appender *a, uint32_t description);

#endif
