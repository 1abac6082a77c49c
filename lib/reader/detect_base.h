/* SPDX-License-Identifier: BSD-2-Clause */
/* Hexadecimal or decimal: found out from the first lines of a trace. */
#ifndef LIB_READER_DETECT_BASE_H
#define LIB_READER_DETECT_BASE_H

#include <stdbool.h>

#include "lib/io/bufreader.h"

/*
 * 16 or 10, from what the window shows; consumes nothing. *tie: there were record lines, and all of
 * them fit both bases alike (16 then).
 */
unsigned base_find(struct bufreader *w, bool *tie);

/* Whether a record line (without its end) can be one in this base. For tests. */
bool base_fits(const char *line, size_t size, unsigned base);

#endif
