/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A part of a trace: which events are in it, with the names that its records need and the CPU times that they had.
 * slice_choice.c chooses by process, rank and file, slice_names.c keeps what is in force, slice.c does the rest.
 */
#ifndef CLI_FILTER_SLICE_H
#define CLI_FILTER_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <iotrace/iotrace.h>

#include "lib/base/idmap.h"
#include "time_shift.h"

/* --process and --file */

struct iot_id_range {
	uint32_t first, last;
};

enum { IOT_CHOICES_MAX = 1024 };

struct iot_choice {
	struct iot_id_range ranges[IOT_CHOICES_MAX], ranks[IOT_CHOICES_MAX];
	const char *process_globs[IOT_CHOICES_MAX];
	const char *file_globs[IOT_CHOICES_MAX];
	char *owned[IOT_CHOICES_MAX]; /* globs cut out of lists */
	size_t range_count, rank_count, process_glob_count, file_glob_count, owned_count;
};

/* "7,9-12,mpi*": NULL, or what was expected. */
const char *iot_choice_add_processes(struct iot_choice *c, const char *list);
const char *iot_choice_add_ranks(struct iot_choice *c, const char *list); /* "0,4-7" */
const char *iot_choice_add_file(struct iot_choice *c, const char *glob);
void iot_choice_free(struct iot_choice *c);

bool iot_choice_of_processes(const struct iot_choice *c);
/* name NULL: not known. */
bool iot_choice_has_process(const struct iot_choice *c, uint32_t id, const char *name);
bool iot_choice_has_rank(const struct iot_choice *c, uint64_t rank);
bool iot_choice_has_path(const struct iot_choice *c, const char *path);

/* Names in force */

struct iot_said {
	char *text; /* of its directive; NULL: none is in force */
	size_t size;
	bool told;   /* in the slice */
	bool chosen; /* by --process or --file */
	/* A process: */
	bool has_clock;
	bool known; /* chosen is set */
	int64_t seen_ns, zero_ns;
};

struct iot_said_names {
	struct iot_map process_map, file_map, disk_map;
	struct iot_said *processes, *files, *disks;
	size_t process_room, file_room, disk_room;
	bool failed; /* no memory */
};

/* NULL: no memory. */
struct iot_said *iot_said_process(struct iot_said_names *n, uint32_t process);
struct iot_said *iot_said_file(struct iot_said_names *n, const struct iot_record *rec, bool disk);
void iot_said_names_free(struct iot_said_names *n);

/* The slice */

enum iot_slice_op { IOT_SLICE_ALL, IOT_SLICE_READS, IOT_SLICE_WRITES };

/* Takes n events, and may change them; a status. */
typedef int iot_slice_fn(void *context, struct iot_event *ev, size_t n);

struct iot_slice {
	/* To be set: */
	int64_t from_ns, to_ns; /* [from, to); INT64_MAX: no end */
	uint64_t first, last;   /* records; UINT64_MAX: no end */
	bool all_read;          /* not in order of start: nothing says that the end has come */
	int op;                 /* enum iot_slice_op */
	uint64_t every;         /* 1: all */
	bool traces_told;       /* every %trace before the first record */
	struct iot_choice *choice;
	struct iot_reader *reader; /* for the paths of objects */
	iot_slice_fn *out;
	void *context;

	/* Own: */
	uint64_t index;   /* of the next record */
	uint64_t records; /* in the slice */
	uint64_t passed;  /* records that passed every filter but --every */
	bool over;        /* nothing that comes is in the slice */
	bool last_in;     /* the record before is in the range */
	int status;
	struct iot_said_names names;
	struct iot_event *carry; /* behind the last record of a batch; texts are its own */
	size_t carried, carry_room, carried_size; /* size: bytes of texts */
	struct iot_event batch[1024];
	size_t batched;
};

/* Feeds what a reader gave; the first of it is record s->index. A status: IOT_OK, IOT_ENOMEM, or that of out. */
int iot_slice_events(struct iot_slice *s, const struct iot_event *ev, size_t n);
/* The trace has ended. */
int iot_slice_end(struct iot_slice *s);
void iot_slice_free(struct iot_slice *s);

#endif
