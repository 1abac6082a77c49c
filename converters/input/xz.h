/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decompresses xz with liblzma directly: libarchive would allocate as much memory as a file asks
 * for, up to 4 GiB.
 */
#ifndef CONVERTERS_INPUT_XZ_H
#define CONVERTERS_INPUT_XZ_H

#include "lib/base/error.h"
#include "lib/io/bufreader.h"

enum { XZ_MEMORY_MAX = 160 << 20 }; /* a dictionary of 128 MiB and the decoder's other memory */

/*
 * Returns a bufreader on the decompressed bytes of base, which it owns from now on (also on
 * failure). Bytes that precede damage are delivered first. options: of the returned bufreader;
 * `why` and `done` are set here. Returns NULL with *error set.
 */
struct bufreader *xz_bufreader(struct bufreader *base, const char *name,
			       const struct bufreader_options *options, struct error *error);

#endif
