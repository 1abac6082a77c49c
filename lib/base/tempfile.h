/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An unlinked temporary file: bytes are appended at its end and read anywhere; ranges that will not
 * be read again are returned to the file system if it supports hole punching.
 */
#ifndef LIB_BASE_TEMPFILE_H
#define LIB_BASE_TEMPFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

struct tempfile {
	struct error *error;
	int fd;           /* -1 until the file is needed */
	bool keeps;       /* the file system cannot punch holes */
	uint64_t size;    /* bytes in the file; buf[0..fill) follows them */
	uint64_t written; /* total bytes ever written */
	unsigned char *buf;
	size_t fill;
};

enum { TEMPFILE_BUFFER = 1 << 17 };

/* Returns $TMPDIR, or /tmp. */
const char *tempfile_directory(void);
/* Opens an unlinked file there for reading and writing. Returns -1 with errno set on failure. */
int tempfile_open(void);

/* Creates the file, in $TMPDIR or /tmp, at the first append. */
void tempfile_init(struct tempfile *f, struct error *error);
void tempfile_free(struct tempfile *f);

int tempfile_append(struct tempfile *f, const void *data, size_t size);
/*
 * Returns a buffer for `size` bytes, at most TEMPFILE_BUFFER, to be added to f->fill by the caller;
 * NULL on failure, with f->error set.
 */
unsigned char *tempfile_reserve(struct tempfile *f, size_t size);
/* Makes all appended bytes readable. */
int tempfile_flush(struct tempfile *f);
static inline uint64_t tempfile_end(const struct tempfile *f)
{
	return f->size + f->fill;
}

int tempfile_read(struct tempfile *f, uint64_t offset, void *data, size_t size);

/* Declares that bytes [from, to) will not be read again. */
void tempfile_discard(struct tempfile *f, uint64_t from, uint64_t to);
void tempfile_discard_all(struct tempfile *f);

#endif
