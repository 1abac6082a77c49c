/* SPDX-License-Identifier: BSD-2-Clause */
#include "thrift.h"

static void put_byte(struct byte_buffer *b, unsigned v)
{
	const unsigned char byte = (unsigned char)v;
	byte_buffer_append(b, &byte, 1);
}

static void put_varint(struct byte_buffer *b, uint64_t v)
{
	if (byte_buffer_reserve(b, BYTE_BUFFER_VARINT_MAX))
		byte_buffer_varint(b, v);
}

/* Fields ascend by less than 16 in all structs of Parquet. */
static void begin_field(struct thrift *t, unsigned field, enum thrift_type type)
{
	put_byte(t->b, (field - t->last) << 4 | type);
	t->last = field;
}

void thrift_i32(struct thrift *t, unsigned field, int32_t v)
{
	begin_field(t, field, THRIFT_I32);
	put_varint(t->b, byte_buffer_zigzag(v));
}

void thrift_i64(struct thrift *t, unsigned field, int64_t v)
{
	begin_field(t, field, THRIFT_I64);
	put_varint(t->b, byte_buffer_zigzag(v));
}

void thrift_binary(struct thrift *t, unsigned field, const void *data, size_t size)
{
	begin_field(t, field, THRIFT_BINARY);
	put_varint(t->b, size);
	byte_buffer_append(t->b, data, size);
}

void thrift_text(struct thrift *t, unsigned field, const char *text)
{
	thrift_binary(t, field, text, strlen(text));
}

void thrift_list(struct thrift *t, unsigned field, enum thrift_type type, size_t count)
{
	begin_field(t, field, THRIFT_LIST);
	put_byte(t->b, (unsigned)(count < 15 ? count : 15) << 4 | type);
	if (count >= 15)
		put_varint(t->b, count);
}

void thrift_element_i32(struct byte_buffer *b, int32_t v)
{
	put_varint(b, byte_buffer_zigzag(v));
}

void thrift_element_text(struct byte_buffer *b, const char *text)
{
	put_varint(b, strlen(text));
	byte_buffer_append(b, text, strlen(text));
}

struct thrift thrift_begin(struct thrift *t, unsigned field)
{
	begin_field(t, field, THRIFT_STRUCT);
	return (struct thrift){t->b, 0};
}

void thrift_end(struct thrift *t)
{
	put_byte(t->b, 0);
}
