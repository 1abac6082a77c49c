/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The grammar of a record line (iotrace(5), RECORDS): its fields, every legal spelling of them, and the sentences
 * about what is not legal. What the fields mean is decode.c's.
 */
#ifndef LIB_CODEC_RECORD_LINE_H
#define LIB_CODEC_RECORD_LINE_H

#include "state.h"

/* [M] iotrace.h: the bits of the compression field. */
enum iot_compression_bit {
	IOT_OFFSET_IN_BLOCKS = 0x01,
	IOT_LENGTH_IN_BLOCKS = 0x02,
	IOT_NO_LENGTH = 0x04,
	IOT_NO_PROCESSID = 0x08,
	IOT_COMPRESSION_UNDEFINED = 0x10,
	IOT_NO_OPERATIONID = 0x20,
	IOT_NO_BLOCK = 0x40,
	IOT_NO_FILEID = 0x80,
};

/* The fields in their order on the line. */
enum iot_field {
	IOT_F_TYPE,
	IOT_F_COMPRESSION,
	IOT_F_OFFSET,
	IOT_F_LENGTH,
	IOT_F_START,
	IOT_F_COMPLETION,
	IOT_F_OPERATION,
	IOT_F_FILE,
	IOT_F_PROCESS,
	IOT_F_CPU,
	IOT_FIELDS
};

/* As they stand on a line: unscaled, times as differences; what was dropped is not set. */
struct iot_fields {
	uint64_t offset, length, completion;
	int64_t start, cpu;
	uint32_t operation, file, process;
	uint8_t type, compression;
};

/*
 * The fields of a line without its end. column[IOT_FIELDS]: where each stands; of dropped ones the end.
 * IOT_OK, or IOT_EFORMAT with the state's error set.
 */
int iot_line_fields(struct iot_codec *c, const char *line, size_t size, struct iot_fields *f,
		    size_t *column);

/* Writes a line with its LF; returns what is behind it. IOT_ENCODED_MAX bytes are enough. */
char *iot_line_write(char *out, const struct iot_fields *f, unsigned base);

/* The state's error, piece by piece. No printf: it may allocate and depends on the locale. */
int iot_say_begin(struct iot_codec *c, size_t column); /* returns IOT_EFORMAT */
void iot_say(struct iot_codec *c, const char *text);
void iot_say_bytes(struct iot_codec *c, const char *text, size_t n); /* escaped */
void iot_say_number(struct iot_codec *c, uint64_t v);

static inline bool iot_blank(char b)
{
	return b == ' ' || b == '\t';
}

#endif
