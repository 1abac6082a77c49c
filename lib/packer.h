/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes out: plain, gzip or Zstandard, to a descriptor, a callback or memory. Every write is
 * checked.
 */
#ifndef IOT_LIB_PACKER_H
#define IOT_LIB_PACKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>
#include <zstd.h>

#include "error.h"

enum iot_destination { IOT_TO_NOTHING, IOT_TO_FD, IOT_TO_CALLBACK, IOT_TO_MEMORY };

/* What is to happen behind the bytes. */
enum iot_ending {
	IOT_GO_ON,
	IOT_FLUSH,     /* all bytes can be read at the other end */
	IOT_END_FRAME, /* the next byte begins a new frame or member */
	IOT_FINISH,    /* the last bytes */
};

struct iot_packer {
	struct iot_error error;
	const char *name; /* for messages, escaped */
	enum iot_compression how;

	enum iot_destination destination;
	int fd;
	bool can_wake; /* a byte from wake_fd ends a write that waits, with ECANCELED */
	int wake_fd;
	iot_write_fn *write;
	void *context;
	char *memory;
	size_t memory_size, memory_room;
	uint64_t stored; /* bytes sent to the destination */

	char *packed;
	size_t packed_size;
	bool in_frame;
	bool any_frame;
	z_stream zlib;
	bool zlib_made;
	ZSTD_CCtx *zstd;
};

/* name is set, all else is zero. The destination, with what it needs, is set after it. */
int iot_packer_open(struct iot_packer *p, enum iot_compression how, int level, unsigned workers);
void iot_packer_close(struct iot_packer *p); /* frees what it owns; also without open */

/* All of the bytes, or an error, which stays. */
int iot_packer_put(struct iot_packer *p, const char *data, size_t size, enum iot_ending ending);

#endif
