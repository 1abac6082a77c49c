/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a window's bytes come from: a descriptor, memory or a callback, one block at a time. */
#ifndef LIB_IO_BYTE_SOURCE_H
#define LIB_IO_BYTE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"
#include "stop.h"

enum iot_intake_kind { IOT_FROM_NOTHING, IOT_FROM_FD, IOT_FROM_MEMORY, IOT_FROM_CALLBACK };

struct iot_intake {
	enum iot_intake_kind kind;
	struct iot_error *error; /* told of failures; the window's */
	const char *name;        /* for messages, escaped */
	size_t read_size;        /* bytes asked for at once */
	uint64_t stored;         /* bytes taken so far */
	bool ended;
	int errnum; /* the reason, if it was a failure that ended it */

	const char *memory;
	int fd;
	struct iot_interrupt *stop; /* see struct iot_window_options */
	bool waits;
	struct iot_drain drain;
	bool can_wake; /* a byte to read from wake_fd ends the input */
	int wake_fd;
	iot_read_fn *read;
	void *context;
	const struct iot_error *why;
};

/* At most read_size bytes into `to`; 0: the end, or an error. Not for memory. */
size_t iot_intake_take(struct iot_intake *in, void *to, size_t room);

/*
 * Memory lies where it is; this tells how many bytes more of the `left` ones may be looked at: steps
 * of read_size, so that small blocks can be tried on memory as well. 0: the end.
 */
size_t iot_intake_step(struct iot_intake *in, size_t left);

/* Goes on at byte `at`; first: where byte 0 is in the file. False: that cannot be, errno tells. */
bool iot_intake_seek(struct iot_intake *in, uint64_t first, uint64_t at);

#endif
