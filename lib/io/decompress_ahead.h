/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread that unpacks ahead of the one that reads, into a few pieces of memory. While it runs,
 * unpacker and intake, and the error they point to, are its own; they are the caller's again when
 * decompress_ahead_next has told the end.
 */
#ifndef LIB_IO_DECOMPRESS_AHEAD_H
#define LIB_IO_DECOMPRESS_AHEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decompress.h"

struct decompress_ahead;

enum { DECOMPRESS_AHEAD_HEADROOM = 1 << 16 };

/* So many bytes before data are free for what was left of the piece before. */
struct ahead_buffer {
	char *data;
	size_t size;
	uint64_t stored; /* bytes taken from the source when it was made */
};

/* At most `size` bytes ahead, but half a mebibyte at least. NULL: no memory, or no thread; nothing has been taken. */
struct decompress_ahead *decompress_ahead_new(struct decompressor *u, size_t size);
void decompress_ahead_free(struct decompress_ahead *ra); /* also before the end; NULL is fine */

/* Waits for the next piece. False: the end or an error, told by the unpacker; the thread is gone. */
bool decompress_ahead_next(struct decompress_ahead *ra, struct ahead_buffer *piece);
void decompress_ahead_release(struct decompress_ahead *ra); /* the oldest piece that next gave */

/* Whether this process may use more than one processor. */
bool decompress_ahead_pays(void);

#endif
