/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes of xz, by liblzma itself: libarchive would give a file as much memory as it asks for, which
 * is up to 4 GiB.
 */
#ifndef CONVERTERS_INPUT_XZ_H
#define CONVERTERS_INPUT_XZ_H

#include "lib/base/error.h"
#include "lib/io/bufreader.h"

enum { XZ_MEMORY_MAX = 160 << 20 }; /* a dictionary of 128 MiB, and what else is needed */

/*
 * A window on what is packed in base, which belongs to it from now on (also on failure). Bytes before
 * damage come first. options: of the window; why and done are its own. NULL with *error set.
 */
struct bufreader *xz_bufreader(struct bufreader *base, const char *name,
			       const struct bufreader_options *options, struct error *error);

#endif
