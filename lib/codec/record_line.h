/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The grammar of a record line (iotrace(5), RECORDS): its fields, every legal spelling of them, and the sentences
 * about what is not legal. What the fields mean is decode.c's.
 */
#ifndef LIB_CODEC_RECORD_LINE_H
#define LIB_CODEC_RECORD_LINE_H

#include "state.h"

/* [M] iotrace.h: the bits of the compression field. */
enum compression_bit {
	OFFSET_IN_BLOCKS = 0x01,
	LENGTH_IN_BLOCKS = 0x02,
	NO_LENGTH = 0x04,
	NO_PROCESSID = 0x08,
	COMPRESSION_UNDEFINED = 0x10,
	NO_OPERATIONID = 0x20,
	NO_BLOCK = 0x40,
	NO_FILEID = 0x80,
};

/* The fields in their order on the line. */
enum field {
	FIELD_TYPE,
	FIELD_COMPRESSION,
	FIELD_OFFSET,
	FIELD_LENGTH,
	FIELD_START,
	FIELD_COMPLETION,
	FIELD_OPERATION,
	FIELD_FILE,
	FIELD_PROCESS,
	FIELD_CPU,
	RECORD_FIELDS
};

/* As they stand on a line: unscaled, times as differences; what was dropped is not set. */
struct record_fields {
	uint64_t offset, length, completion;
	int64_t start, cpu;
	uint32_t operation, file, process;
	uint8_t type, compression;
};

/*
 * The fields of a line without its end. column[RECORD_FIELDS]: where each stands; of dropped ones the end.
 * IOT_OK, or IOT_EFORMAT with the state's error set.
 */
int record_line_parse(struct iot_codec *c, const char *line, size_t size, struct record_fields *f,
		      size_t *column);

/* Writes a line with its LF; returns what is behind it. IOT_ENCODED_MAX bytes are enough. */
char *record_line_write(char *out, const struct record_fields *f, unsigned base);

/* The state's error, piece by piece. No printf: it may allocate and depends on the locale. */
int codec_error_begin(struct iot_codec *c, size_t column); /* returns IOT_EFORMAT */
void codec_error_text(struct iot_codec *c, const char *text);
void codec_error_bytes(struct iot_codec *c, const char *text, size_t n); /* escaped */
void codec_error_number(struct iot_codec *c, uint64_t v);

static inline bool is_blank(char b)
{
	return b == ' ' || b == '\t';
}

#endif
