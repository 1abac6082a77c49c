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

enum iot_packing {
	IOT_PACKED_NOT,
	IOT_PACKED_WINDOW, /* gzip or Zstandard: a window does it */
	IOT_PACKED_BZIP2,
	IOT_PACKED_XZ,
	IOT_PACKED_LZ4,
};

enum { IOT_PACKING_SIZE = 512 }; /* first bytes that suffice to tell packing and tar */

enum iot_packing iot_packing_of(const char *head, size_t size);
bool iot_is_tar(const char *head, size_t size);

/*
 * A window on what is packed in base, which belongs to it from now on (also on failure). Bytes
 * before damage come first, up to libarchive's last whole block (bzip2, lz4: what the file says); the error keeps
 * libarchive's words. options: of the window; why and done are its own. NULL with *error set.
 */
struct iot_window *iot_unpack_window(struct iot_window *base, enum iot_packing how,
				     const char *name, const struct iot_window_options *options,
				     struct iot_error *error);

/* The regular files of a tar, in their order. base belongs to it, also on failure. */
struct iot_tar;

struct iot_tar *iot_tar_new(struct iot_window *base, const char *name, struct iot_error *error);
void iot_tar_free(struct iot_tar *t);
/* The next regular file: 1, its name in *name until the next call; 0: end; negative: see error. */
int iot_tar_next(struct iot_tar *t, const char **name);
/* The next block of that file, where it belongs in it: 1; 0: end of file; negative: see error. */
int iot_tar_block(struct iot_tar *t, const void **data, size_t *size, uint64_t *offset);
uint64_t iot_tar_skipped(const struct iot_tar *t); /* links, devices and the like */
const struct iot_error *iot_tar_error(const struct iot_tar *t);

#endif
