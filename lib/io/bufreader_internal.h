/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by bufreader.c, which reads in order, and bufreader_seek.c, which seeks. */
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
	struct decompress_ahead *readahead; /* NULL without a thread */
	struct error ahead_error;           /* the thread's error while it runs */
	/* bytes points into a buffer of the thread that has not been released */
	bool holding;
	uint64_t stored; /* stored bytes read when that buffer was filled */
	void (*done)(void *context);
	void *done_context;
	uint64_t total;
	uint64_t first; /* regular file: its offset when it was opened */
	uint64_t
	    /*
	     * stored bytes skipped by seeks, minus those read again after seeks backwards, modulo
	     * 2^64
	     */
	    skipped;

	/* The available bytes are bytes[start .. end). */
	const char *bytes;
	/* the target of bytes, unless that is the caller's memory or a buffer of the thread */
	char *block;
	size_t start, end, capacity; /* capacity: of block */
	unsigned resyncs;
	bool ended;
	bool detected;
	enum iot_compression how;
};

/* Starts the thread if one is wanted; without one the reader decompresses on demand. */
void bufreader_start_prefetch(struct bufreader *w);

#endif
