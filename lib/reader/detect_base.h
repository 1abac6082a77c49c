/* SPDX-License-Identifier: BSD-2-Clause */
/* Detects the base, hexadecimal or decimal, from the first lines of a trace. */
#ifndef LIB_READER_DETECT_BASE_H
#define LIB_READER_DETECT_BASE_H

#include <stdbool.h>

#include "lib/io/bufreader.h"

/*
 * Returns 16 or 10, judged from the bytes available in the bufreader; consumes nothing. *tie is set
 * if the input has record lines and all of them are valid in both bases (16 is returned then).
 */
unsigned base_find(struct bufreader *r, bool *tie);

/* Returns whether a record line (without its end) is possible in this base. For tests. */
bool base_fits(const char *line, size_t size, unsigned base);

#endif
