/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Joins the requests into which the kernel splits one call. A call that is too long for a request
 * arrives in pieces, each after the reply to the previous piece. While a request waits for its
 * reply, /proc/TID/syscall shows the length of the call, which distinguishes its last piece from
 * the first piece of the next call.
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
 * Returns how many bytes the current call of a thread asks for, 0 if that is unknown. Its request
 * must not have been answered.
 */
uint64_t pieces_call_size(uint32_t tid);
/*
 * Takes a transfer that is a piece of a call, and appends a record with the last piece. Returns
 * false if the transfer is a whole call. asked: bytes of the request; call_size: bytes of the call,
 * 0 if unknown.
 */
bool pieces_take(struct pieces *p, struct buffer_pair *b, struct appender *a, struct buffered who,
		 const struct record_transfer *t, uint64_t asked, uint64_t call_size);
/* Appends the pieces that have arrived for a description that is being closed. */
void pieces_end(struct pieces *p, struct buffer_pair *b, struct appender *a, uint32_t description);

#endif
