/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes of a binary format under construction. */
#ifndef CLI_EXPORT_BYTE_BUFFER_H
#define CLI_EXPORT_BYTE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/array.h"

enum { BYTE_BUFFER_VARINT_MAX = 10 };

/* Start with {0}; free `data`. */
struct byte_buffer {
	unsigned char *data;
	size_t size, capacity;
	bool failed; /* out of memory, or too large for the format */
};

static inline bool byte_buffer_reserve(struct byte_buffer *b, size_t size)
{
	b->failed |= b->failed || !array_reserve(&b->data, &b->capacity, b->size + size, 1);
	return !b->failed;
}

/* Appends a number in groups of seven bits, lowest first, for which there must be capacity. */
static inline void byte_buffer_varint(struct byte_buffer *b, uint64_t v)
{
	unsigned char *to = b->data + b->size;
	for (; v >= 0x80; v >>= 7)
		*to++ = (unsigned char)(v | 0x80);
	*to++ = (unsigned char)v;
	b->size = (size_t)(to - b->data);
}

/* Maps numbers near 0 to small ones without a sign. */
static inline uint64_t byte_buffer_zigzag(int64_t v)
{
	return v < 0 ? ~((uint64_t)v << 1) : (uint64_t)v << 1;
}

static inline void byte_buffer_append(struct byte_buffer *b, const void *data, size_t size)
{
	if (size == 0 || !byte_buffer_reserve(b, size))
		return;
	memcpy(b->data + b->size, data, size);
	b->size += size;
}

#endif
