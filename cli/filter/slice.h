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

struct id_range {
	uint32_t first, last;
};

enum { SLICE_FILTERS_MAX = 1024 };

struct slice_filter {
	struct id_range ranges[SLICE_FILTERS_MAX], ranks[SLICE_FILTERS_MAX];
	const char *process_globs[SLICE_FILTERS_MAX];
	const char *file_globs[SLICE_FILTERS_MAX];
	char *owned[SLICE_FILTERS_MAX]; /* globs cut out of lists */
	size_t range_count, rank_count, process_glob_count, file_glob_count, owned_count;
};

/* "7,9-12,mpi*": NULL, or what was expected. */
const char *slice_filter_add_processes(struct slice_filter *c, const char *list);
const char *slice_filter_add_ranks(struct slice_filter *c, const char *list); /* "0,4-7" */
const char *slice_filter_add_file(struct slice_filter *c, const char *glob);
void slice_filter_free(struct slice_filter *c);

bool slice_filter_of_processes(const struct slice_filter *c);
/* name NULL: not known. */
bool slice_filter_has_process(const struct slice_filter *c, uint32_t id, const char *name);
bool slice_filter_has_rank(const struct slice_filter *c, uint64_t rank);
bool slice_filter_has_path(const struct slice_filter *c, const char *path);

/* Names in force */

struct slice_definition {
	char *text; /* of its directive; NULL: none is in force */
	size_t size;
	bool reported; /* in the slice */
	bool chosen;   /* by --process or --file */
	/* A process: */
	bool has_clock;
	bool known; /* chosen is set */
	int64_t seen_ns, zero_ns;
};

struct slice_definitions {
	struct idmap process_map, file_map, disk_map;
	struct slice_definition *processes, *files, *disks;
	size_t process_capacity, file_capacity, disk_capacity;
	bool failed; /* no memory */
};

/* NULL: no memory. */
struct slice_definition *slice_define_process(struct slice_definitions *n, uint32_t process);
struct slice_definition *slice_define_file(struct slice_definitions *n,
					   const struct iot_record *rec, bool disk);
void slice_definitions_free(struct slice_definitions *n);

/* The slice */

enum slice_op { SLICE_ALL, SLICE_READS, SLICE_WRITES };

/* Takes n events, and may change them; a status. */
typedef int slice_event_fn(void *context, struct iot_event *ev, size_t n);

struct slice {
	/* To be set: */
	int64_t from_ns, to_ns; /* [from, to); INT64_MAX: no end */
	uint64_t first, last;   /* records; UINT64_MAX: no end */
	bool all_read;          /* not in order of start: nothing says that the end has come */
	int op;                 /* enum slice_op */
	uint64_t every;         /* 1: all */
	bool traces_reported;   /* every %trace before the first record */
	struct slice_filter *choice;
	struct iot_reader *reader; /* for the paths of objects */
	slice_event_fn *out;
	void *context;

	/* Own: */
	uint64_t index;   /* of the next record */
	uint64_t records; /* in the slice */
	uint64_t passed;  /* records that passed every filter but --every */
	bool over;        /* nothing that comes is in the slice */
	bool last_in;     /* the record before is in the range */
	int status;
	struct slice_definitions names;
	struct iot_event *carry; /* behind the last record of a batch; texts are its own */
	size_t carried, carry_capacity, carried_size; /* size: bytes of texts */
	struct iot_event batch[1024];
	size_t batched;
};

/* Feeds what a reader gave; the first of it is record s->index. A status: IOT_OK, IOT_ENOMEM, or that of out. */
int slice_events(struct slice *s, const struct iot_event *ev, size_t n);
/* The trace has ended. */
int slice_end(struct slice *s);
void slice_free(struct slice *s);

#endif
