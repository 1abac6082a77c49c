/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Output, uncompressed, gzip or Zstandard. A regular file is written under a temporary name in the
 * same directory and renamed when it is complete; every write is checked.
 */
#ifndef LIB_BASE_BYTE_SINK_H
#define LIB_BASE_BYTE_SINK_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"

struct byte_sink;

struct byte_sink *byte_sink_new(void); /* Returns NULL if out of memory. */
/* Without a preceding close, removes the temporary file. */
void byte_sink_free(struct byte_sink *s);

/* Sets compression, level (0: default) and zstd's worker threads. Call it before open. */
int byte_sink_compress(struct byte_sink *s, enum iot_compression how, int level, unsigned threads);

/* Sets ATOMIC_FILE_... flags for a path. Call it before open. */
void byte_sink_how(struct byte_sink *s, unsigned how);

/* Writes no seek table at the end of several zstd frames. Call it before open. */
void byte_sink_no_index(struct byte_sink *s);

/* Call one of these once. Path "-" is standard output. */
int byte_sink_open(struct byte_sink *s, const char *path);
int byte_sink_open_fd(struct byte_sink *s, int fd, const char *name);
int byte_sink_open_callback(struct byte_sink *s, iot_write_fn *write, void *context,
			    const char *name);
int byte_sink_open_memory(struct byte_sink *s);
const void *byte_sink_memory(const struct byte_sink *s, size_t *size);

int byte_sink_write(struct byte_sink *s, const void *data, size_t size);
int byte_sink_frame(struct byte_sink *s); /* The next byte begins a new frame or member. */
/* Makes all bytes written so far readable at the other end. */
int byte_sink_flush(struct byte_sink *s);
/* Writes the last bytes, closes and renames. Returns the status of all steps. */
int byte_sink_close(struct byte_sink *s);

uint64_t byte_sink_stored(const struct byte_sink *s); /* bytes sent to the file */
const struct error *byte_sink_error(const struct byte_sink *s);

#endif
