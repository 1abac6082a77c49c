/* SPDX-License-Identifier: BSD-2-Clause */
#include "glob_list.h"

#include <fnmatch.h>

#include "cli/ui/options.h"

const char *glob_list_take(const struct option *opt, const char *value)
{
	struct glob_list *globs = opt->target;
	if (globs->count == GLOBS_MAX)
		return "at most 64 patterns";
	globs->glob[globs->count++] = value;
	return NULL;
}

bool glob_list_match(const struct glob_list *globs, const char *path)
{
	for (size_t i = 0; i < globs->count; i++)
		if (fnmatch(globs->glob[i], path, 0) == 0)
			return true;
	return false;
}
