/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_UI_SAME_CONTENT_H
#define CLI_UI_SAME_CONTENT_H

#include <stdbool.h>

/*
 * Orders the names of files without their directories and the suffixes of compression, as strcmp(3)
 * does.
 */
int same_content_compare_names(const char *a, const char *b);
/* Returns whether `packed` is compressed, and has the same beginning as `plain`, which is not. */
bool same_content_is_packed(const char *packed, const char *plain);

#endif
