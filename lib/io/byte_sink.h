/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes out, plain, gzip or Zstandard. A regular file is written under a temporary name in the same
 * directory and appears under its own name when it is complete; every write is checked.
 */
#ifndef LIB_IO_BYTE_SINK_H
#define LIB_IO_BYTE_SINK_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"

struct byte_sink;

struct byte_sink *byte_sink_new(void);    /* NULL when out of memory */
void byte_sink_free(struct byte_sink *s); /* without close before: the temporary file is removed */

/* To be called before open: compression, level (0: default), zstd's worker threads. */
int byte_sink_compress(struct byte_sink *s, enum iot_compression how, int level, unsigned threads);

/* ATOMIC_FILE_... for a path; to be called before open. */
void byte_sink_how(struct byte_sink *s, unsigned how);

/* One of these, once. "-" is standard output. */
int byte_sink_open(struct byte_sink *s, const char *path);
int byte_sink_open_fd(struct byte_sink *s, int fd, const char *name);
int byte_sink_open_callback(struct byte_sink *s, iot_write_fn *write, void *context,
			    const char *name);
int byte_sink_open_memory(struct byte_sink *s);
const void *byte_sink_memory(const struct byte_sink *s, size_t *size);

int byte_sink_write(struct byte_sink *s, const void *data, size_t size);
int byte_sink_frame(struct byte_sink *s); /* the next byte begins a new frame or member */
int byte_sink_flush(struct byte_sink *s); /* all that was written can be read at the other end */
int byte_sink_close(struct byte_sink *s); /* last bytes out, closed, renamed; status of all of it */

uint64_t byte_sink_stored(const struct byte_sink *s); /* bytes sent to the file */
const struct error *byte_sink_error(const struct byte_sink *s);

#endif
