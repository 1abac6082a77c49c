/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The grammar of a record line (iotrace(5), RECORDS): its fields, every legal spelling, and the
 * messages for errors. decode.c interprets the fields.
 */
#ifndef LIB_CODEC_RECORD_LINE_H
#define LIB_CODEC_RECORD_LINE_H

#include "state.h"
#include "lib/base/word.h"

/* Bits of the compression field, from [M] iotrace.h. */
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

/* The fields in line order. */
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

/* Field values as on the line: unscaled, times as differences; omitted fields are not set. */
struct record_fields {
	uint64_t offset, length, completion;
	int64_t start, cpu;
	uint32_t operation, file, process;
	uint8_t type, compression;
};

/*
 * Parses the fields of a line without its line end. column[RECORD_FIELDS]: the column of each
 * field; for omitted fields, the column of the line end. Returns IOT_OK, or IOT_EFORMAT with the
 * state's error set.
 */
int record_line_parse(struct iot_codec *c, const char *line, size_t size, struct record_fields *f,
		      size_t *column);

/* Writes a line with its LF; returns the end of the text. Needs at most IOT_ENCODED_MAX bytes. */
char *record_line_write(char *out, const struct record_fields *f, unsigned base);

/*
 * Build the state's error message. They do not use printf, which may allocate and depends on the
 * locale.
 */
int codec_error_begin(struct iot_codec *c, size_t column); /* returns IOT_EFORMAT */
void codec_error_text(struct iot_codec *c, const char *text);
void codec_error_bytes(struct iot_codec *c, const char *text, size_t n); /* escaped */
void codec_error_number(struct iot_codec *c, uint64_t v);

#endif
