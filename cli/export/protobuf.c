/* SPDX-License-Identifier: BSD-2-Clause */
#include "protobuf.h"

#include <string.h>

#include "lib/base/array.h"
#include "little_endian.h"

enum { VARINT = 0, FIXED64 = 1, LENGTH = 2, VARINT_MAX = 10, LENGTH_SIZE = 4 };

static bool reserve(struct protobuf *b, size_t size)
{
	b->failed |= b->failed || !array_reserve(&b->data, &b->capacity, b->size + size, 1);
	return !b->failed;
}

static void put_varint(struct protobuf *b, uint64_t v)
{
	unsigned char *to = b->data + b->size;
	for (; v >= 0x80; v >>= 7)
		*to++ = (unsigned char)(v | 0x80);
	*to++ = (unsigned char)v;
	b->size = (size_t)(to - b->data);
}

void protobuf_number(struct protobuf *b, unsigned field, uint64_t v)
{
	if (!reserve(b, 2 * (size_t)VARINT_MAX))
		return;
	put_varint(b, field << 3 | VARINT);
	put_varint(b, v);
}

void protobuf_fixed64(struct protobuf *b, unsigned field, uint64_t v)
{
	if (!reserve(b, VARINT_MAX + sizeof v))
		return;
	put_varint(b, field << 3 | FIXED64);
	(void)put_u64((char *)b->data + b->size, v);
	b->size += sizeof v;
}

void protobuf_bytes(struct protobuf *b, unsigned field, const void *data, size_t size)
{
	if (!reserve(b, 2 * (size_t)VARINT_MAX + size))
		return;
	put_varint(b, field << 3 | LENGTH);
	put_varint(b, size);
	memcpy(b->data + b->size, data, size);
	b->size += size;
}

void protobuf_text(struct protobuf *b, unsigned field, const char *text)
{
	protobuf_bytes(b, field, text, strlen(text));
}

size_t protobuf_begin(struct protobuf *b, unsigned field)
{
	if (!reserve(b, VARINT_MAX + LENGTH_SIZE))
		return 0;
	put_varint(b, field << 3 | LENGTH);
	b->size += LENGTH_SIZE;
	return b->size;
}

/* The length has LENGTH_SIZE bytes, of which all but the last have the continuation bit. */
void protobuf_end(struct protobuf *b, size_t position)
{
	const size_t size = b->size - position;
	b->failed |= size >> 7 * LENGTH_SIZE != 0;
	if (b->failed)
		return;
	for (unsigned i = 0; i < LENGTH_SIZE; i++)
		b->data[position - LENGTH_SIZE + i] =
		    (unsigned char)((size >> 7 * i & 0x7f) | (i + 1 < LENGTH_SIZE ? 0x80 : 0));
}
