/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread that decompresses ahead of the reader into a ring of buffers. While it runs, it owns the
 * decompressor, the byte source and the error that they point to; they are the caller's again when
 * decompress_ahead_next has returned false.
 */
#ifndef LIB_IO_DECOMPRESS_AHEAD_H
#define LIB_IO_DECOMPRESS_AHEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decompress.h"

struct decompress_ahead;

enum { DECOMPRESS_AHEAD_HEADROOM = 1 << 16 };

/*
 * `DECOMPRESS_AHEAD_HEADROOM` bytes before data are reserved for the unconsumed rest of the
 * previous buffer.
 */
struct ahead_buffer {
	char *data;
	size_t size;
	uint64_t stored; /* bytes read from the source when the buffer was filled */
};

/*
 * Decompresses at most `size` bytes ahead, with a minimum of 512 KiB. Returns NULL, with nothing
 * read, if out of memory or if no thread could be started.
 */
struct decompress_ahead *decompress_ahead_new(struct decompressor *u, size_t size);
/* Allowed before the end; NULL is ignored. */
void decompress_ahead_free(struct decompress_ahead *ra);

/*
 * Waits for the next buffer. Returns false at the end or on error, which the decompressor then
 * reports; the thread has ended.
 */
bool decompress_ahead_next(struct decompress_ahead *ra, struct ahead_buffer *piece);
/* Releases the oldest buffer that next returned. */
void decompress_ahead_release(struct decompress_ahead *ra);

/* Returns whether this process may use more than one processor. */
bool decompress_ahead_pays(void);

#endif
