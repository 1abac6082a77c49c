/* SPDX-License-Identifier: BSD-2-Clause */
/* Structs in the compact protocol of Thrift, in which Parquet describes itself. */
#ifndef CLI_EXPORT_THRIFT_H
#define CLI_EXPORT_THRIFT_H

#include "byte_buffer.h"

enum thrift_type {
	THRIFT_I32 = 5,
	THRIFT_I64 = 6,
	THRIFT_BINARY = 8,
	THRIFT_LIST = 9,
	THRIFT_STRUCT = 12
};

/* The struct that is being written: its last field. Start with {buffer}. */
struct thrift {
	struct byte_buffer *b;
	unsigned last;
};

void thrift_i32(struct thrift *t, unsigned field, int32_t v);
void thrift_i64(struct thrift *t, unsigned field, int64_t v);
void thrift_binary(struct thrift *t, unsigned field, const void *data, size_t size);
void thrift_text(struct thrift *t, unsigned field, const char *text);
/* Begins a list, of which the elements are to be appended to the buffer. */
void thrift_list(struct thrift *t, unsigned field, enum thrift_type type, size_t count);
/* These append elements of lists. */
void thrift_element_i32(struct byte_buffer *b, int32_t v);
void thrift_element_text(struct byte_buffer *b, const char *text);
/* Begins a struct in a field. */
struct thrift thrift_begin(struct thrift *t, unsigned field);
/* Ends a struct. */
void thrift_end(struct thrift *t);

#endif
