/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decompresses bzip2 and lz4 with libarchive, xz with liblzma, and reads the files of a tar. The
 * input is a bufreader, which decompresses gzip and Zstandard itself. No filter that runs a program
 * is ever enabled.
 */
#ifndef CONVERTERS_INPUT_ARCHIVE_READER_H
#define CONVERTERS_INPUT_ARCHIVE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"
#include "lib/io/bufreader.h"

enum compression_layer {
	COMPRESSION_LAYER_NONE,
	COMPRESSION_LAYER_BUFREADER, /* gzip or Zstandard: the bufreader decompresses it */
	COMPRESSION_LAYER_BZIP2,
	COMPRESSION_LAYER_XZ,
	COMPRESSION_LAYER_LZ4,
};

enum { COMPRESSION_MAGIC_SIZE = 512 }; /* bytes that suffice to detect compression and tar */

enum compression_layer compression_layer_of(const char *head, size_t size);
bool is_tar(const char *head, size_t size);

/*
 * Returns a bufreader on the decompressed bytes of base, which it owns from now on (also on
 * failure). Bytes that precede damage are delivered first, up to libarchive's last whole block (in
 * bzip2 and lz4 the file determines its size); the error contains libarchive's message. options: of
 * the returned bufreader; `why` and `done` are set here. Returns NULL with *error set.
 */
struct bufreader *decompress_bufreader(struct bufreader *base, enum compression_layer how,
				       const char *name, const struct bufreader_options *options,
				       struct error *error);

/* Reads the regular files of a tar, in their order. It owns base, also on failure. */
struct tar;

struct tar *tar_new(struct bufreader *base, const char *name, struct error *error);
void tar_free(struct tar *t);
/*
 * Finds the next regular file. Returns 1 with its name in *name, valid until the next call; 0 at
 * the end; negative on error, see tar_error().
 */
int tar_next(struct tar *t, const char **name);
/*
 * Reads the next block of that file and its offset in the file. Returns 1; 0 at the end of the
 * file; negative on error, see tar_error().
 */
int tar_block(struct tar *t, const void **data, size_t *size, uint64_t *offset);
uint64_t tar_skipped(const struct tar *t); /* links, devices and the like */
const struct error *tar_error(const struct tar *t);

#endif
