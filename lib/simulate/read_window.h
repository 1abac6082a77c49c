/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The read-ahead window of a process's use of an object, in blocks, as Linux computes it (its
 * mm/readahead.c): the blocks that are read at once for a sequential read. A read of the marker,
 * the first block after the request or after the preceding window, issues the next, larger window.
 */
#ifndef LIB_SIMULATE_READ_WINDOW_H
#define LIB_SIMULATE_READ_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

/* Initialize to zero. */
struct read_window {
	uint64_t size, end; /* size 0: none */
	uint64_t marker;
};

/*
 * After a read of blocks [first, end). opens: it missed, and begins at offset 0 or where the last
 * read ended; max: the largest window. Returns true if blocks [marker, window end) are to be read
 * ahead.
 */
bool read_window_advance(struct read_window *w, uint64_t first, uint64_t end, bool opens,
			 uint64_t max);

#endif
