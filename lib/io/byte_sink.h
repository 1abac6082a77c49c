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

struct iot_sink;

struct iot_sink *iot_sink_new(void);    /* NULL when out of memory */
void iot_sink_free(struct iot_sink *s); /* without close before: the temporary file is removed */

/* To be called before open: compression, level (0: default), zstd's worker threads. */
int iot_sink_compress(struct iot_sink *s, enum iot_compression how, int level, unsigned threads);

/* IOT_OUTFILE_... for a path; to be called before open. */
void iot_sink_how(struct iot_sink *s, unsigned how);

/* One of these, once. "-" is standard output. */
int iot_sink_open(struct iot_sink *s, const char *path);
int iot_sink_open_fd(struct iot_sink *s, int fd, const char *name);
int iot_sink_open_callback(struct iot_sink *s, iot_write_fn *write, void *context,
			   const char *name);
int iot_sink_open_memory(struct iot_sink *s);
const void *iot_sink_memory(const struct iot_sink *s, size_t *size);

int iot_sink_write(struct iot_sink *s, const void *data, size_t size);
int iot_sink_frame(struct iot_sink *s); /* the next byte begins a new frame or member */
int iot_sink_flush(struct iot_sink *s); /* all that was written can be read at the other end */
int iot_sink_close(struct iot_sink *s); /* last bytes out, closed, renamed; status of all of it */

uint64_t iot_sink_stored(const struct iot_sink *s); /* bytes sent to the file */
const struct iot_error *iot_sink_error(const struct iot_sink *s);

#endif
