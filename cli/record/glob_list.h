/* SPDX-License-Identifier: BSD-2-Clause */
/* Patterns of paths, as options collect them. */
#ifndef CLI_RECORD_GLOBS_H
#define CLI_RECORD_GLOBS_H

#include <stdbool.h>
#include <stddef.h>

enum { GLOBS_MAX = 64 };

struct glob_list {
	const char *glob[GLOBS_MAX];
	size_t count;
};

struct option;

/*
 * Adds the value of an option whose target is a struct glob_list. Returns NULL, or what is
 * expected.
 */
const char *glob_list_take(const struct option *opt, const char *value);
/* Returns whether a pattern matches the whole path. */
bool glob_list_match(const struct glob_list *globs, const char *path);

#endif
