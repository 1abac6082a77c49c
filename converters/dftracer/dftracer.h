/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Internals of the DFTracer converter. A .pfw file is "[", then one event per line as a JSON object
 * without a comma, then perhaps "]":
 *
 *	{"id":8,"name":"read","cat":"POSIX","pid":2,"tid":4,"ts":1727286231145121,"dur":54,
 *	"ph":"X","args":{"hhash":39537,"fhash":71,"ret":4096,"count":4096,"fd":18}}
 *
 * Times are microseconds. Files of 2023 quote numbers and contain names (hostname, fname); later
 * ones contain hashes of names, which lines of phase M define: FH for files, HH for hosts. The
 * writer does not escape names. Each process writes a file. Each source file uses only those above
 * it:
 *
 *     event_line.c   one line
 *     names.c        names and their hashes
 *     members.c      merges the files of an input by time of return
 *     dftracer.c     the converter
 */
#ifndef CONVERTERS_DFTRACER_DFTRACER_H
#define CONVERTERS_DFTRACER_DFTRACER_H

#include "converters/calls/calls.h"
#include "converters/calls/lines.h"

/* Lines */

enum pfw_kind {
	PFW_EVENT,
	PFW_FRAME,   /* "[", "]" or blank */
	PFW_UNKNOWN, /* not an event, or not whole */
};

/* The event of a line. Absent texts have size 0. */
struct pfw_event {
	struct iot_text name, category;
	char phase;    /* 0 if absent */
	bool repaired; /* a name contains quotes or backslashes, which the writer does not escape */
	bool timed;
	bool backwards; /* the duration is negative */
	uint32_t pid;
	int64_t start_ns;
	uint64_t duration_ns;
	unsigned has; /* enum call_field */
	int64_t fd, directory, result, offset, count, size, flags, whence;
	/* name of the file and of the host, or their hashes */
	struct iot_text file, host;
	bool file_hash, host_hash;
	struct iot_text path, to_path, mode, text, hash, version;
};

enum pfw_kind pfw_line_parse(struct iot_text line, struct pfw_event *e);

/* Names */

struct pfw_name {
	char *text; /* NULL if not defined */
	size_t size;
};

struct pfw_names {
	struct fdtable *fds; /* accounts for the memory */
	uint64_t seed;
	struct idmap map;
	struct pfw_name *name;
	size_t capacity;
};

/* Returns the number of a name, which is `text` or has the hash `text`; SIZE_MAX: no memory. */
size_t pfw_name_number(struct pfw_names *n, struct iot_text text, bool hash);
/* Defines the name of a hash, unless it has one. */
void pfw_name_define(struct pfw_names *n, struct iot_text hash, struct iot_text text);
/* Returns the text of a name, with size 0 if it has not been defined. */
struct iot_text pfw_name_text(const struct pfw_names *n, size_t number);
void pfw_names_free(struct pfw_names *n);

/* Members */

enum { PFW_OPEN_MAX = 256 }; /* members that are merged at a time */

struct pfw_member {
	size_t index;
	struct line_reader reader;
	struct iot_text line;
	enum line_kind line_kind;
	enum pfw_kind kind;
	struct pfw_event event;
	int64_t key_ns; /* when the call returned; not less than key_ns of the line before */
};

struct pfw_members {
	struct source_state *src;
	size_t *index; /* of those that are of DFTracer */
	size_t count, opened;
	struct pfw_member *member; /* those that are open */
	uint32_t *heap;            /* the open ones, first the one with the first key */
	size_t heap_size;
	struct pfw_member *current; /* whose line was returned last */
	bool cut;                   /* a member ended in the middle of a line */
};

/* Returns true if a member starts with lines of DFTracer. */
bool pfw_is_member(struct input *in, size_t member);
int pfw_members_open(struct pfw_members *m, struct source_state *src);
/* Returns the member with the next line, which stays until the next call; NULL at the end. */
struct pfw_member *pfw_members_next(struct pfw_members *m);
void pfw_members_close(struct pfw_members *m);

#endif
