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

struct tempfile {
	struct error *error;
	int fd;           /* -1: not needed yet */
	bool keeps;       /* the file system gives nothing back */
	uint64_t size;    /* written; buf[0 .. fill) comes behind it */
	uint64_t written; /* in all */
	unsigned char *buf;
	size_t fill;
};

enum { TEMPFILE_BUFFER = 1 << 17 };

/* The file is made, in $TMPDIR or /tmp, when something is put. */
void tempfile_init(struct tempfile *f, struct error *error);
void tempfile_free(struct tempfile *f);

int tempfile_append(struct tempfile *f, const void *data, size_t size);
/* Room for `size` bytes, at most TEMPFILE_BUFFER, which f->fill then counts; NULL: f->error. */
unsigned char *tempfile_reserve(struct tempfile *f, size_t size);
/* What was put can be read from now on. */
int tempfile_flush(struct tempfile *f);
static inline uint64_t tempfile_end(const struct tempfile *f)
{
	return f->size + f->fill;
}

int tempfile_read(struct tempfile *f, uint64_t offset, void *data, size_t size);

/* Bytes [from, to) will not be read again. */
void tempfile_discard(struct tempfile *f, uint64_t from, uint64_t to);
void tempfile_discard_all(struct tempfile *f);

#endif
