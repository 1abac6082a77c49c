/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread that unpacks ahead of the one that reads, into a few pieces of memory. While it runs,
 * unpacker and intake, and the error they point to, are its own; they are the caller's again when
 * iot_readahead_next has told the end.
 */
#ifndef LIB_IO_DECOMPRESS_AHEAD_H
#define LIB_IO_DECOMPRESS_AHEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decompress.h"

struct iot_readahead;

enum { IOT_HEADROOM = 1 << 16 };

/* So many bytes before data are free for what was left of the piece before. */
struct iot_piece {
	char *data;
	size_t size;
	uint64_t stored; /* bytes taken from the source when it was made */
};

/* At most `size` bytes ahead, but half a mebibyte at least. NULL: no memory, or no thread; nothing has been taken. */
struct iot_readahead *iot_readahead_new(struct iot_unpacker *u, size_t size);
void iot_readahead_free(struct iot_readahead *ra); /* also before the end; NULL is fine */

/* Waits for the next piece. False: the end or an error, told by the unpacker; the thread is gone. */
bool iot_readahead_next(struct iot_readahead *ra, struct iot_piece *piece);
void iot_readahead_release(struct iot_readahead *ra); /* the oldest piece that next gave */

/* Whether this process may use more than one processor. */
bool iot_readahead_pays(void);

#endif
