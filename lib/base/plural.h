/* SPDX-License-Identifier: BSD-2-Clause */
/* The words that follow a number: "1 record is", "2 records are". */
#ifndef IOTRACE_LIB_BASE_PLURAL_H
#define IOTRACE_LIB_BASE_PLURAL_H

#include <stdint.h>

/* Returns one if n is 1, otherwise many: printf("%ju %s", n, plural(n, "read", "reads")). */
static inline const char *plural(uint64_t n, const char *one, const char *many)
{
	return n == 1 ? one : many;
}

#endif
