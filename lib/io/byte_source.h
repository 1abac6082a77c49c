/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a window's bytes come from: a descriptor, memory or a callback, one block at a time. */
#ifndef LIB_IO_BYTE_SOURCE_H
#define LIB_IO_BYTE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"
#include "stop.h"

enum byte_source_kind {
	BYTE_SOURCE_NONE,
	BYTE_SOURCE_FD,
	BYTE_SOURCE_MEMORY,
	BYTE_SOURCE_CALLBACK
};

struct byte_source {
	enum byte_source_kind kind;
	struct error *error; /* told of failures; the window's */
	const char *name;    /* for messages, escaped */
	size_t read_size;    /* bytes asked for at once */
	uint64_t stored;     /* bytes taken so far */
	bool ended;
	int errnum; /* the reason, if it was a failure that ended it */

	const char *memory;
	int fd;
	struct interrupt *stop; /* see struct bufreader_options */
	bool waits;
	struct drain drain;
	bool can_wake; /* a byte to read from wake_fd ends the input */
	int wake_fd;
	iot_read_fn *read;
	void *context;
	const struct error *why;
};

/* At most read_size bytes into `to`; 0: the end, or an error. Not for memory. */
size_t byte_source_read(struct byte_source *in, void *to, size_t capacity);

/*
 * Memory lies where it is; this tells how many bytes more of the `left` ones may be looked at: steps
 * of read_size, so that small blocks can be tried on memory as well. 0: the end.
 */
size_t byte_source_step(struct byte_source *in, size_t left);

/* Goes on at byte `at`; first: where byte 0 is in the file. False: that cannot be, errno tells. */
bool byte_source_seek(struct byte_source *in, uint64_t first, uint64_t at);

#endif
