/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What libarchive is used for: bytes of bzip2 and lz4 (and beside it those of xz, see unpack_xz.h), and
 * the files of a tar. It reads from a window, which unpacks gzip and Zstandard itself. No filter that runs a program is ever enabled.
 */
#ifndef CONVERTERS_INPUT_ARCHIVE_H
#define CONVERTERS_INPUT_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"
#include "lib/io/bufreader.h"

enum compression_layer {
	COMPRESSION_LAYER_NONE,
	COMPRESSION_LAYER_BUFREADER, /* gzip or Zstandard: a window does it */
	COMPRESSION_LAYER_BZIP2,
	COMPRESSION_LAYER_XZ,
	COMPRESSION_LAYER_LZ4,
};

enum { COMPRESSION_MAGIC_SIZE = 512 }; /* first bytes that suffice to tell packing and tar */

enum compression_layer compression_layer_of(const char *head, size_t size);
bool is_tar(const char *head, size_t size);

/*
 * A window on what is packed in base, which belongs to it from now on (also on failure). Bytes
 * before damage come first, up to libarchive's last whole block (bzip2, lz4: what the file says); the error keeps
 * libarchive's words. options: of the window; why and done are its own. NULL with *error set.
 */
struct bufreader *decompress_bufreader(struct bufreader *base, enum compression_layer how,
				       const char *name, const struct bufreader_options *options,
				       struct error *error);

/* The regular files of a tar, in their order. base belongs to it, also on failure. */
struct tar;

struct tar *tar_new(struct bufreader *base, const char *name, struct error *error);
void tar_free(struct tar *t);
/* The next regular file: 1, its name in *name until the next call; 0: end; negative: see error. */
int tar_next(struct tar *t, const char **name);
/* The next block of that file, where it belongs in it: 1; 0: end of file; negative: see error. */
int tar_block(struct tar *t, const void **data, size_t *size, uint64_t *offset);
uint64_t tar_skipped(const struct tar *t); /* links, devices and the like */
const struct error *tar_error(const struct tar *t);

#endif
