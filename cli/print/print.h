/* SPDX-License-Identifier: BSD-2-Clause */
/* Events as CSV, as JSON lines, and as aligned text for people. */
#ifndef CLI_PRINT_PRINT_H
#define CLI_PRINT_PRINT_H

#include "lib/format/definitions.h"

#include "lib/base/idmap.h"
#include "cli/ui/output.h"

/* What one file is called, as long as its %file is in force; of an object, until any file is told. */
struct iot_shown_path {
	uint32_t process, file;
	bool logical, none, own; /* own: its %file tells */
	uint64_t found;          /* 0: not; else so many had been told */
	char *text;
	size_t size, room;
};

enum { IOT_SHOWN_PATHS = 256 }; /* more files at a time are found again and again */

struct iot_show {
	struct iot_out *out;
	struct iot_reader *reader; /* knows the paths of objects */
	uint64_t tick_ns;          /* unit of the times in CSV: the trace's tick, or 1 */
	bool names, unknown;       /* CSV: with object and path; with what is not known */
	bool for_people;           /* paths are escaped, and files without one have their number */
	unsigned lacks;            /* text: enum iot_flag, of operations, which have no flags */
	bool failed;               /* out of memory */

	/* CSV's cpu is the difference to the process's record before. */
	struct iot_map processes;
	int64_t *cpu_ns;
	size_t cpu_room;

	struct iot_names in_force; /* %file */
	uint64_t told;             /* of them so far, and one */
	struct iot_shown_path path[IOT_SHOWN_PATHS];

	char *memory; /* for a value being decoded */
	size_t memory_room;
};

void iot_show_init(struct iot_show *s, struct iot_out *out, struct iot_reader *reader);
void iot_show_free(struct iot_show *s);
void iot_show_paths_free(struct iot_show *s); /* a part of it */
/* Sees to it that memory has room for so many bytes. */
bool iot_show_room(struct iot_show *s, size_t size);

/* To be told of every event, before what stands behind it is shown. */
void iot_show_tell(struct iot_show *s, const struct iot_event *ev);
/*
 * The path, decoded, under which a record's file was opened; NULL: not told. Valid until the next
 * call. Where it is for people: what the file is called, ended by a NUL, and never NULL.
 */
const char *iot_show_path(struct iot_show *s, const struct iot_record *rec, size_t *size);

void iot_show_csv_head(struct iot_show *s);
void iot_show_csv(struct iot_show *s, const struct iot_record *rec, size_t n);
/* With names. */
void iot_show_csv_named(struct iot_show *s, const struct iot_event *ev, size_t n);
void iot_show_json(struct iot_show *s, const struct iot_event *ev, size_t n);
void iot_show_text_head(struct iot_show *s);
void iot_show_text(struct iot_show *s, const struct iot_event *ev, size_t n);

#endif
