/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the window share: window.c shows bytes in order, window_seek.c goes to others. */
#ifndef LIB_IO_BUFREADER_INTERNAL_H
#define LIB_IO_BUFREADER_INTERNAL_H

#include "decompress_ahead.h"
#include "decompress.h"
#include "bufreader.h"

struct bufreader {
	struct error error;
	char *name; /* escaped */
	size_t buffer_max;
	struct byte_source in;
	struct decompressor unpacker;
	bool fd_owned;
	enum prefetch_mode ahead;
	size_t ahead_size;
	struct decompress_ahead *readahead; /* NULL: no thread */
	struct error ahead_error;           /* the thread's, as long as it runs */
	bool holding;                       /* a piece is shown, and not released yet */
	uint64_t stored;                    /* when it was made */
	void (*done)(void *context);
	void *done_context;
	uint64_t total;
	uint64_t first; /* of a regular file: where it was when it was opened */
	uint64_t
	    skipped; /* stored bytes sought over, or, going back, what is twice in them: modulo 2^64 */

	/* What is shown is bytes[start .. end). */
	const char *bytes;
	char *block; /* where bytes points to, unless that is the caller's memory, or a piece */
	size_t start, end, capacity; /* room: of block */
	unsigned resyncs;
	bool ended;
	bool detected;
	enum iot_compression how;
};

/* A thread, if one is wanted; without one the window does the work itself. */
void bufreader_start_prefetch(struct bufreader *w);

#endif
