/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sizes in bytes as users write them, with the units of the GNU tools: K and KiB are 1024 bytes, KB
 * is 1000; the same for M, G, T, P and E. Case does not matter in the first letter.
 */
#ifndef LIB_BASE_SIZE_H
#define LIB_BASE_SIZE_H

#include <stddef.h>
#include <stdint.h>

enum size_status {
	SIZE_VALID,
	SIZE_INVALID,   /* not a number with an optional unit */
	SIZE_TOO_LARGE, /* does not fit in 64 bits */
};

/* Parses text[0..n), such as 4096, 64K, 64MB or 1GiB. *bytes is set if it is valid. */
enum size_status size_parse(const char *text, size_t n, uint64_t *bytes);

#endif
