/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes protobuf messages. The lengths of nested messages are varints of fixed size. */
#ifndef CLI_EXPORT_PROTOBUF_H
#define CLI_EXPORT_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A message under construction. Start with {0}; free `data`. */
struct protobuf {
	unsigned char *data;
	size_t size, capacity;
	bool failed; /* out of memory, or a message of 256 MiB or more */
};

void protobuf_number(struct protobuf *b, unsigned field, uint64_t v);
void protobuf_fixed64(struct protobuf *b, unsigned field, uint64_t v);
void protobuf_bytes(struct protobuf *b, unsigned field, const void *data, size_t size);
void protobuf_text(struct protobuf *b, unsigned field, const char *text);

/* Begins a nested message; returns its position, for protobuf_end. */
size_t protobuf_begin(struct protobuf *b, unsigned field);
void protobuf_end(struct protobuf *b, size_t position);

#endif
