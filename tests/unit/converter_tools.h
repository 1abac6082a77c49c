/* SPDX-License-Identifier: BSD-2-Clause */
/* For tests of converters: their counts. */
#ifndef TESTS_CONVERTER_TOOLS_H
#define TESTS_CONVERTER_TOOLS_H

#include <string.h>

#include "converters/converter.h"

/* 0: it was not counted. */
static inline uint64_t counted_in(const struct report *r, const char *name)
{
	for (size_t i = 0; i < r->counts; i++)
		if (strcmp(r->count[i].name, name) == 0)
			return r->count[i].value;
	return 0;
}

#endif
