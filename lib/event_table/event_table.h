/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of events: a row for each record, and for operations on request. Its columns, and the
 * values of a row, are defined here for all formats that have tables.
 */
#ifndef LIB_EVENT_TABLE_H
#define LIB_EVENT_TABLE_H

#include <string.h>

#include "names.h"

/* The columns in their order: NAME, its name in tables, its type. */
#define EVENT_COLUMN_LIST(X)                                                                       \
	X(START_NS, "start_ns", INT64)                                                             \
	X(DURATION_NS, "duration_ns", UINT64)                                                      \
	X(OP, "op", TEXT)                                                                          \
	X(KIND, "kind", TEXT)                                                                      \
	X(OFFSET, "offset", UINT64)                                                                \
	X(LENGTH, "length", UINT64)                                                                \
	X(PROCESS, "process", UINT32)                                                              \
	X(RANK, "rank", TEXT)                                                                      \
	X(FILE, "file", UINT32)                                                                    \
	X(PATH, "path", TEXT)                                                                      \
	X(CPU_NS, "cpu_ns", INT64)                                                                 \
	X(RELATIVE_OFFSET, "relative_offset", UINT64)                                              \
	X(OPERATION, "operation", UINT32)                                                          \
	X(OBJECT, "object", UINT32)                                                                \
	X(PROGRAM, "program", TEXT)                                                                \
	X(HOST, "host", TEXT)                                                                      \
	X(TO, "to", TEXT)                                                                          \
	X(RESULT, "result", TEXT)                                                                  \
	X(SIZE, "size", UINT64)

enum event_column {
#define X(NAME, name, type) EVENT_##NAME,
	EVENT_COLUMN_LIST(X)
#undef X
	    EVENT_COLUMNS,
};

enum column_type { EVENT_INT64, EVENT_UINT64, EVENT_UINT32, EVENT_TEXT };

/* A list may name a column more than once. */
enum { EVENT_COLUMNS_DEFAULT = EVENT_PATH + 1, EVENT_COLUMNS_MAX = 64 };

struct event_columns {
	size_t count;
	uint8_t column[EVENT_COLUMNS_MAX]; /* enum event_column */
};

const char *event_column_name(enum event_column column);
enum column_type event_column_type(enum event_column column);
/*
 * Parses a list of names, separated by commas; NULL selects the first EVENT_COLUMNS_DEFAULT.
 * Returns false if a name is unknown or one too many, with *wrong, unless that is NULL, the name.
 */
bool event_columns_parse(struct event_columns *c, const char *list, struct iot_text *wrong);

/* Values */

/* Encodes a name as the text of a cell, which is UTF-8; a names_encode. */
size_t event_cell_text(char *out, const char *text, size_t size);

enum event_cell_kind {
	EVENT_CELL_UNKNOWN,
	EVENT_CELL_TOO_LARGE, /* unknown: bytes of a disk, beyond 64 bits */
	EVENT_CELL_NUMBER,
	EVENT_CELL_NAME,
};

enum { EVENT_KIND_MAX = 64 }; /* bytes of the name of a type */

struct event_cell {
	uint64_t number; /* of EVENT_INT64: in two's complement */
	struct name *name;
};

/* These write the columns op and kind of a record of this type, and return their ends. */
static inline char *event_op_name(char to[EVENT_KIND_MAX], unsigned type)
{
	memcpy(to, type & IOT_WRITE ? "write" : "read ", 5);
	return to + (type & IOT_WRITE ? 5 : 4);
}

char *event_kind_name(char to[EVENT_KIND_MAX], unsigned type);

/* Bytes of an I/O of a program; a disk counts blocks. */
static inline enum event_cell_kind event_bytes(const struct iot_record *r, uint64_t value,
					       struct event_cell *cell)
{
	cell->number = value;
	if (r->type & IOT_LOGICAL)
		return EVENT_CELL_NUMBER;
	return __builtin_mul_overflow(value, (uint64_t)IOT_BLOCK_SIZE, &cell->number)
		   ? EVENT_CELL_TOO_LARGE
		   : EVENT_CELL_NUMBER;
}

static inline enum event_cell_kind event_number_unless(bool unknown, uint64_t value,
						       struct event_cell *cell)
{
	cell->number = value;
	return unknown ? EVENT_CELL_UNKNOWN : EVENT_CELL_NUMBER;
}

static inline enum event_cell_kind event_name(struct name *name, struct event_cell *cell)
{
	cell->name = name;
	return name->text != NULL ? EVENT_CELL_NAME : EVENT_CELL_UNKNOWN;
}

/*
 * Stores a cell of a record, except in EVENT_OP and EVENT_KIND, which follow from its type,
 * and returns its kind. Inline because formats call it with constant columns.
 */
static inline __attribute__((always_inline)) enum event_cell_kind
event_cell_of(struct names *names, const struct iot_record *r, enum event_column column,
	      struct event_cell *cell)
{
	const bool lacks_offset = (r->flags & IOT_OFFSET_UNKNOWN) != 0;
	uint32_t object;
	switch (column) {
	case EVENT_START_NS:
		return event_number_unless(r->flags & IOT_START_UNKNOWN, (uint64_t)r->start_ns,
					   cell);
	case EVENT_DURATION_NS:
		return event_number_unless(r->flags & IOT_DURATION_UNKNOWN, r->duration_ns, cell);
	case EVENT_CPU_NS:
		return event_number_unless(r->flags & IOT_CPU_UNKNOWN, (uint64_t)r->cpu_ns, cell);
	case EVENT_OFFSET:
		return lacks_offset ? EVENT_CELL_UNKNOWN : event_bytes(r, r->offset, cell);
	case EVENT_RELATIVE_OFFSET:
		return lacks_offset ? event_bytes(r, r->offset, cell) : EVENT_CELL_UNKNOWN;
	case EVENT_LENGTH:
		return event_bytes(r, r->length, cell);
	case EVENT_PROCESS:
		return event_number_unless(false, r->process, cell);
	case EVENT_FILE:
		return event_number_unless(false, r->file, cell);
	case EVENT_OPERATION:
		return event_number_unless(r->operation == 0, r->operation, cell);
	case EVENT_OBJECT:
		object = names_object(names, r);
		return event_number_unless(object == 0, object, cell);
	case EVENT_PATH:
		return event_name(names_path(names, r), cell);
	case EVENT_RANK:
		return event_name(names_process(names, r->process, PROCESS_RANK), cell);
	case EVENT_HOST:
		return event_name(names_process(names, r->process, PROCESS_HOST), cell);
	case EVENT_PROGRAM:
		return event_name(names_process(names, r->process, PROCESS_PROGRAM), cell);
	case EVENT_OP:
	case EVENT_KIND:
	case EVENT_TO:
	case EVENT_RESULT:
	case EVENT_SIZE:
	case EVENT_COLUMNS:
		break;
	}
	return EVENT_CELL_UNKNOWN;
}

/*
 * Stores a cell of an %op, except in EVENT_KIND, which is "op", and returns its kind: unknown
 * unless the directive has the key. A name is valid until the next call.
 */
enum event_cell_kind event_operation_cell(struct names *names, const struct iot_event *ev,
					  enum event_column column, struct event_cell *cell);

#endif
