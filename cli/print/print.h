/* SPDX-License-Identifier: BSD-2-Clause */
/* Events as CSV, as JSON lines, and as aligned text. */
#ifndef CLI_PRINT_PRINT_H
#define CLI_PRINT_PRINT_H

#include "lib/format/definitions.h"

#include "lib/base/idmap.h"
#include "cli/ui/output.h"

/* The path of a file while its %file is current, or of an object until a %file exists. */
struct printed_path {
	uint32_t process, file;
	bool logical, none, own; /* own: from its %file */
	uint64_t found;          /* 0: none; else the count of definitions at that time */
	char *text;
	size_t size, capacity;
};

enum { PRINT_PATHS = 256 }; /* beyond this number of files, paths are looked up repeatedly */

struct printer {
	struct output *out;
	struct iot_reader *reader; /* provides the paths of objects */
	uint64_t tick_ns;          /* unit of the times in CSV: the trace's tick, or 1 */
	bool names, unknown;       /* CSV: with object and path; with unknown fields */
	bool for_human;            /* escape paths, and number files without one */
	unsigned lacks;            /* text: enum iot_flag, of operations, which have no flags */
	bool failed;               /* out of memory */

	/* CSV's cpu is the difference from the process's previous record. */
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
void print_paths_free(struct printer *s); /* part of print_free */
/* Ensures a capacity of `size` bytes. */
bool printer_reserve(struct printer *s, size_t size);

/* Must be called for every event, before the following one is printed. */
void printer_event(struct printer *s, const struct iot_event *ev);
/*
 * Returns the decoded path under which a record's file was opened, or NULL if unknown. Valid until
 * the next call. In human-readable form, returns the file's name, NUL-terminated and never NULL.
 */
const char *printer_path(struct printer *s, const struct iot_record *rec, size_t *size);

void print_csv_head(struct printer *s);
void print_csv(struct printer *s, const struct iot_record *rec, size_t n);
/* Prints with names. */
void print_csv_named(struct printer *s, const struct iot_event *ev, size_t n);
void print_json(struct printer *s, const struct iot_event *ev, size_t n);
void print_text_head(struct printer *s);
void print_text(struct printer *s, const struct iot_event *ev, size_t n);

#endif
