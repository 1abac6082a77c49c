/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Extracts a part of a trace: selects its events, and writes the definitions that its records need
 * and their CPU times. slice_select.c selects by process, rank and file, slice_definitions.c keeps
 * the current definitions, slice.c does the rest.
 */
#ifndef CLI_FILTER_SLICE_H
#define CLI_FILTER_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <iotrace/iotrace.h>

#include "lib/base/idmap.h"
#include "lib/filter/time_shift.h"

/* --process and --file */

struct id_range {
	uint32_t first, last;
};

enum { SLICE_FILTERS_MAX = 1024 };

struct slice_filter {
	struct id_range ranges[SLICE_FILTERS_MAX], ranks[SLICE_FILTERS_MAX];
	const char *process_globs[SLICE_FILTERS_MAX];
	const char *file_globs[SLICE_FILTERS_MAX];
	char *owned[SLICE_FILTERS_MAX]; /* globs copied from lists */
	size_t range_count, rank_count, process_glob_count, file_glob_count, owned_count;
};

/* "7,9-12,mpi*". Returns NULL, or the expected syntax. */
const char *slice_filter_add_processes(struct slice_filter *c, const char *list);
const char *slice_filter_add_ranks(struct slice_filter *c, const char *list); /* "0,4-7" */
const char *slice_filter_add_file(struct slice_filter *c, const char *glob);
void slice_filter_free(struct slice_filter *c);

bool slice_filter_of_processes(const struct slice_filter *c);
/* name is NULL if unknown. */
bool slice_filter_has_process(const struct slice_filter *c, uint32_t id, const char *name);
bool slice_filter_has_rank(const struct slice_filter *c, uint64_t rank);
bool slice_filter_has_path(const struct slice_filter *c, const char *path);

/* Current definitions */

struct slice_definition {
	char *text; /* of its directive; NULL: no definition */
	size_t size;
	bool reported; /* in the slice */
	bool chosen;   /* by --process or --file */
	/* Processes only: */
	bool has_clock;
	bool known; /* chosen is valid */
	int64_t seen_ns, zero_ns;
};

struct slice_definitions {
	struct idmap process_map, file_map, disk_map;
	struct slice_definition *processes, *files, *disks;
	size_t process_capacity, file_capacity, disk_capacity;
	bool failed; /* out of memory */
};

/* Returns NULL if out of memory. */
struct slice_definition *slice_define_process(struct slice_definitions *n, uint32_t process);
struct slice_definition *slice_define_file(struct slice_definitions *n,
					   const struct iot_record *rec, bool disk);
void slice_definitions_free(struct slice_definitions *n);

/* The slice */

enum slice_op { SLICE_ALL, SLICE_READS, SLICE_WRITES };

/* Accepts n events, and may change them; returns a status. */
typedef int slice_event_fn(void *context, struct iot_event *ev, size_t n);

struct slice {
	/* Settings: */
	int64_t from_ns, to_ns; /* [from, to); INT64_MAX: no end */
	uint64_t first, last;   /* records; UINT64_MAX: no end */
	bool all_read;          /* not in order of start: no record marks the end */
	int op;                 /* enum slice_op */
	uint64_t every;         /* 1: all */
	bool traces_reported;   /* every %trace before the first record */
	struct slice_filter *choice;
	struct iot_reader *reader; /* for the paths of objects */
	slice_event_fn *out;
	void *context;

	/* Internal state: */
	uint64_t index;   /* of the next record */
	uint64_t records; /* in the slice */
	uint64_t passed;  /* records that passed every filter but --every */
	bool over;        /* all following events are outside the slice */
	bool last_in;     /* the previous record is in the range */
	int status;
	struct slice_definitions names;
	struct iot_event *carry; /* events after the last record of a batch; owns the texts */
	size_t carried, carry_capacity, carried_size; /* size: bytes of texts */
	struct iot_event batch[1024];
	size_t batched;
};

/*
 * Passes events of a reader; the first of them is record s->index. Returns IOT_OK, IOT_ENOMEM, or
 * the status of the output.
 */
int slice_events(struct slice *s, const struct iot_event *ev, size_t n);
/* Ends the trace. */
int slice_end(struct slice *s);
void slice_free(struct slice *s);

#endif
