/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LIB_BASE_OPTIONS_H
#define LIB_BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/*
 * Copies a public struct of options, which begins with its size, to zeroed memory of `size` bytes.
 * Returns false if it is of a newer version and has a member that this version does not know.
 */
static inline bool options_copy(void *to, size_t size, const void *from)
{
	const unsigned char *bytes = from;
	size_t given;
	memcpy(&given, from, sizeof given);
	for (size_t i = size; i < given; i++)
		if (bytes[i] != 0)
			return false;
	memcpy(to, from, given < size ? given : size);
	return given >= sizeof given;
}

#endif
