/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes protobuf messages. The lengths of nested messages are varints of fixed size. */
#ifndef CLI_EXPORT_PROTOBUF_H
#define CLI_EXPORT_PROTOBUF_H

#include "byte_buffer.h"

/* Messages of 256 MiB or more fail. */
void protobuf_number(struct byte_buffer *b, unsigned field, uint64_t v);
void protobuf_fixed64(struct byte_buffer *b, unsigned field, uint64_t v);
void protobuf_bytes(struct byte_buffer *b, unsigned field, const void *data, size_t size);
void protobuf_text(struct byte_buffer *b, unsigned field, const char *text);

/* Begins a nested message; returns its position, for protobuf_end. */
size_t protobuf_begin(struct byte_buffer *b, unsigned field);
void protobuf_end(struct byte_buffer *b, size_t position);

#endif
