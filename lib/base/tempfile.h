/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A temporary file without a name: bytes are put at its end and read anywhere; what will not be read
 * again is given back to the disk where the file system can do that.
 */
#ifndef LIB_BASE_TEMPFILE_H
#define LIB_BASE_TEMPFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

struct iot_spill {
	struct iot_error *error;
	int fd;           /* -1: not needed yet */
	bool keeps;       /* the file system gives nothing back */
	uint64_t size;    /* written; buf[0 .. fill) comes behind it */
	uint64_t written; /* in all */
	unsigned char *buf;
	size_t fill;
};

enum { IOT_SPILL_BUFFER = 1 << 17 };

/* The file is made, in $TMPDIR or /tmp, when something is put. */
void iot_spill_init(struct iot_spill *f, struct iot_error *error);
void iot_spill_free(struct iot_spill *f);

int iot_spill_put(struct iot_spill *f, const void *data, size_t size);
/* Room for `size` bytes, at most IOT_SPILL_BUFFER, which f->fill then counts; NULL: f->error. */
unsigned char *iot_spill_room(struct iot_spill *f, size_t size);
/* What was put can be read from now on. */
int iot_spill_flush(struct iot_spill *f);
static inline uint64_t iot_spill_end(const struct iot_spill *f)
{
	return f->size + f->fill;
}

int iot_spill_read(struct iot_spill *f, uint64_t offset, void *data, size_t size);

/* Bytes [from, to) will not be read again. */
void iot_spill_forget(struct iot_spill *f, uint64_t from, uint64_t to);
void iot_spill_forget_all(struct iot_spill *f);

#endif
