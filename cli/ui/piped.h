/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_UI_PIPED_H
#define CLI_UI_PIPED_H

#include <stdbool.h>

/* Returns whether path ("-" is standard input) can be read only once, because it is not a file. */
bool piped_detect(const char *path);
/* Returns whether path can be read again from its beginning; "-": a file at its beginning. */
bool piped_begins_file(const char *path);
/* The name that opens an input again from its beginning, unless it is a pipe. */
const char *piped_name_again(const char *path);

#endif
