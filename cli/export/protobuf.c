/* SPDX-License-Identifier: BSD-2-Clause */
#include "protobuf.h"

#include <string.h>

#include "little_endian.h"

enum { VARINT = 0, FIXED64 = 1, LENGTH = 2, LENGTH_SIZE = 4 };

void protobuf_number(struct byte_buffer *b, unsigned field, uint64_t v)
{
	if (!byte_buffer_reserve(b, 2 * (size_t)BYTE_BUFFER_VARINT_MAX))
		return;
	byte_buffer_varint(b, field << 3 | VARINT);
	byte_buffer_varint(b, v);
}

void protobuf_fixed64(struct byte_buffer *b, unsigned field, uint64_t v)
{
	if (!byte_buffer_reserve(b, BYTE_BUFFER_VARINT_MAX + sizeof v))
		return;
	byte_buffer_varint(b, field << 3 | FIXED64);
	(void)put_u64((char *)b->data + b->size, v);
	b->size += sizeof v;
}

void protobuf_bytes(struct byte_buffer *b, unsigned field, const void *data, size_t size)
{
	if (!byte_buffer_reserve(b, 2 * (size_t)BYTE_BUFFER_VARINT_MAX + size))
		return;
	byte_buffer_varint(b, field << 3 | LENGTH);
	byte_buffer_varint(b, size);
	memcpy(b->data + b->size, data, size);
	b->size += size;
}

void protobuf_text(struct byte_buffer *b, unsigned field, const char *text)
{
	protobuf_bytes(b, field, text, strlen(text));
}

size_t protobuf_begin(struct byte_buffer *b, unsigned field)
{
	if (!byte_buffer_reserve(b, BYTE_BUFFER_VARINT_MAX + LENGTH_SIZE))
		return 0;
	byte_buffer_varint(b, field << 3 | LENGTH);
	b->size += LENGTH_SIZE;
	return b->size;
}

/* The length has LENGTH_SIZE bytes, of which all but the last have the continuation bit. */
void protobuf_end(struct byte_buffer *b, size_t position)
{
	const size_t size = b->size - position;
	b->failed |= size >> 7 * LENGTH_SIZE != 0;
	if (b->failed)
		return;
	for (unsigned i = 0; i < LENGTH_SIZE; i++)
		b->data[position - LENGTH_SIZE + i] =
		    (unsigned char)((size >> 7 * i & 0x7f) | (i + 1 < LENGTH_SIZE ? 0x80 : 0));
}
