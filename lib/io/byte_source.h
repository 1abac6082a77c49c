/* SPDX-License-Identifier: BSD-2-Clause */
/* The input of a bufreader: a descriptor, memory, a callback or storage, read block by block. */
#ifndef LIB_IO_BYTE_SOURCE_H
#define LIB_IO_BYTE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"
#include "lib/base/interrupt.h"

enum byte_source_kind {
	BYTE_SOURCE_NONE,
	BYTE_SOURCE_FD,
	BYTE_SOURCE_MEMORY,
	BYTE_SOURCE_CALLBACK,
	BYTE_SOURCE_STORAGE
};

/* Copies of all bytes that are read while it is on. Free `data` afterwards. */
struct kept_bytes {
	char *data;
	size_t size, capacity;
	bool on;
	bool incomplete; /* out of memory */
};

struct byte_source {
	enum byte_source_kind kind;
	struct error *error; /* receives failures; owned by the bufreader */
	const char *name;    /* for messages, escaped */
	size_t read_size;    /* bytes per read */
	size_t step;         /* bytes of the last read of a descriptor, until it is read_size */
	uint64_t stored;     /* bytes read so far */
	uint64_t limit;      /* the input ends at this byte; 0: none */
	bool ended;
	int errnum; /* the reason, if a failure ended the input */

	const char *memory;
	int fd;
	struct interrupt *interrupt; /* see struct bufreader_options */
	bool waits;
	struct drain drain;
	bool can_wake; /* a readable byte at wake_fd ends the input */
	int wake_fd;
	iot_read_fn *read;
	void *context;
	struct storage *storage; /* owned by the bufreader */
	const struct error *why;
	struct kept_bytes *keep; /* or NULL */
};

/* Reads at most read_size bytes into `to`; returns 0 at the end or on error. Not for memory. */
size_t byte_source_read(struct byte_source *in, void *to, size_t capacity);

/*
 * For memory, which is not copied: returns how many of the `left` remaining bytes to expose next.
 * Steps of read_size let tests exercise small blocks on memory as well. Returns 0 at the end.
 */
size_t byte_source_step(struct byte_source *in, size_t left);

/* Continues at byte `at`; first: file offset of byte 0. Returns false with errno set on failure. */
bool byte_source_seek(struct byte_source *in, uint64_t first, uint64_t at);

#endif
