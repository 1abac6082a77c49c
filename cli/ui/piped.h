/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_UI_PIPED_H
#define CLI_UI_PIPED_H

#include <stdbool.h>

/* Whether path ("-" is standard input) can be read only once, because it is not a file. */
bool piped_detect(const char *path);

#endif
