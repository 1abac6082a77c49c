/* SPDX-License-Identifier: BSD-2-Clause */
/* Events as CSV, as JSON lines, and as aligned text for people. */
#ifndef CLI_PRINT_PRINT_H
#define CLI_PRINT_PRINT_H

#include "lib/format/definitions.h"

#include "lib/base/idmap.h"
#include "cli/ui/output.h"

/* What one file is called, as long as its %file is in force; of an object, until any file is told. */
struct printed_path {
	uint32_t process, file;
	bool logical, none, own; /* own: its %file tells */
	uint64_t found;          /* 0: not; else so many had been told */
	char *text;
	size_t size, capacity;
};

enum { PRINT_PATHS = 256 }; /* more files at a time are found again and again */

struct printer {
	struct output *out;
	struct iot_reader *reader; /* knows the paths of objects */
	uint64_t tick_ns;          /* unit of the times in CSV: the trace's tick, or 1 */
	bool names, unknown;       /* CSV: with object and path; with what is not known */
	bool for_human;            /* paths are escaped, and files without one have their number */
	unsigned lacks;            /* text: enum iot_flag, of operations, which have no flags */
	bool failed;               /* out of memory */

	/* CSV's cpu is the difference to the process's record before. */
	struct idmap processes;
	int64_t *cpu_ns;
	size_t cpu_capacity;

	struct definitions in_force; /* %file */
	uint64_t reported;           /* of them so far, and one */
	struct printed_path path[PRINT_PATHS];

	char *memory; /* for a value being decoded */
	size_t memory_capacity;
};

void print_init(struct printer *s, struct output *out, struct iot_reader *reader);
void print_free(struct printer *s);
void print_paths_free(struct printer *s); /* a part of it */
/* Sees to it that memory has room for so many bytes. */
bool printer_reserve(struct printer *s, size_t size);

/* To be told of every event, before what stands behind it is shown. */
void printer_event(struct printer *s, const struct iot_event *ev);
/*
 * The path, decoded, under which a record's file was opened; NULL: not told. Valid until the next
 * call. Where it is for people: what the file is called, ended by a NUL, and never NULL.
 */
const char *printer_path(struct printer *s, const struct iot_record *rec, size_t *size);

void print_csv_head(struct printer *s);
void print_csv(struct printer *s, const struct iot_record *rec, size_t n);
/* With names. */
void print_csv_named(struct printer *s, const struct iot_event *ev, size_t n);
void print_json(struct printer *s, const struct iot_event *ev, size_t n);
void print_text_head(struct printer *s);
void print_text(struct printer *s, const struct iot_event *ev, size_t n);

#endif
