/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions that the files of ring_events share. `index` is the index of a process or a thread in
 * e->processes. Errors are kept in e->status.
 */
#ifndef CLI_RECORD_RING_EVENTS_INTERNAL_H
#define CLI_RECORD_RING_EVENTS_INTERNAL_H

#include "ring_events.h"

#include <string.h>

#include "lib/base/error.h"
#include "file_maps.h"
#include "ring.h"

enum {
	TEXT_CAPACITY = 1 << 20, /* bytes of texts that wait to be written */
	RECORD_MARGIN = 16,      /* bytes after a copy of a record that may be read */
};

struct description {
	char *path; /* NULL: none */
	uint32_t object;
	uint32_t opener, forks; /* the process, and its forks up to then */
	uint32_t mode, flags;   /* flags: of open */
	bool skipped;
};

struct tracked {
	char *name;     /* of the program */
	char *awaited;  /* program that exec or a parent has announced, until it starts */
	int32_t result; /* ... of that exec: enum record_exec */
	bool declared; /* as %process, with its name, in this part of the trace or an earlier one */
	bool counted;  /* in the totals */
	uint32_t part; /* the last one that declares it */
	uint32_t shown;              /* the number of its parent, as declared; 0: none */
	int64_t cpu_ns, cpu_zero_ns; /* CPU times: of its last record, and zero in this part */
	bool started;                /* a program with the library, or the child of one */
	uint32_t parent;             /* pid; 0: unknown */
	int64_t rank;                /* -1: none */
	uint32_t forks;
	uint32_t next_thread; /* of the same process; 0: none */
	bool linked;          /* as a thread, from its process */
	struct idmap known;   /* description -> index + 1 of its definition, in `file` */
	uint32_t *file;
	size_t file_capacity;
	uint64_t skipped[3]; /* calls, bytes read, bytes written */
	/*
	 * read and written bytes: of transfers; of the kernel, before the first program, at the end
	 */
	uint64_t moved[2], before[2], kernel[2];
	uint64_t children[2]; /* part of `kernel`: of children that have ended, with theirs */
	uint32_t children_begun, children_ended; /* recorded ones; ended: `children` has them */
	bool has_kernel;
};

struct ring_events {
	struct iot_writer *w;
	const struct processes *processes;
	const struct clock_map *clock;
	const struct ring_events_options *options;
	int64_t last_ns; /* the latest start so far */
	struct ring_events_totals totals;
	struct tracked *tracked; /* of each process */
	size_t tracked_capacity;
	struct idmap numbers; /* description -> its definition, in `description` */
	struct description *description;
	size_t description_capacity;
	struct idmap identities; /* hash of device, inode and birth -> object - 1 */
	struct file_maps maps;
	/* output that has not been written: events or operations, RING_BATCH of each */
	struct iot_event *out;
	struct iot_operation *operation;
	size_t count, operations;
	uint32_t part; /* of the trace, from 0 */
	bool has_times;
	char *text; /* TEXT_CAPACITY bytes, of the output */
	size_t used;
	int status;
};

/* Returns a time of the trace. */
static inline int64_t ring_events_time(const struct ring_events *e, uint64_t time)
{
	const uint64_t zero = e->clock->sample[0].ns, ns = clock_map_ns(e->clock, time);
	return ns < zero ? 0 : ns - zero > INT64_MAX ? INT64_MAX : (int64_t)(ns - zero);
}

static inline void ring_events_add_text(struct iot_builder *b, const char *key, const char *value)
{
	iot_directive_text(b, key, value, strlen(value));
}

/* ring_events_output.c: what has not been written */

/* Keeps the first error. */
void ring_events_fail(struct ring_events *e, int status);
/* Begins a directive in e->text. */
void ring_events_begin_directive(struct ring_events *e, struct iot_builder *b, const char *name);
void ring_events_end_directive(struct ring_events *e, const struct iot_builder *b);
/* Returns a copy of text, NULL if it is empty. */
char *ring_events_copy_text(struct ring_events *e, const char *text);

/* ring_events_keep.c: what is kept */

/* Adds a %lost of what was discarded, if the trace does not say so yet. */
void ring_events_declare_discarded(struct ring_events *e);

/* ring_events_processes.c: processes and threads */

/* Returns what is known of a process, NULL if out of memory. */
struct tracked *ring_events_tracked(struct ring_events *e, uint32_t index);
void ring_events_forget_process(struct tracked *t);
/* Begins a %process directive, with all that is known. */
void ring_events_begin_process(struct ring_events *e, struct iot_builder *b, uint32_t index);
/* A process, or a thread after its process; once in each part of the trace. */
void ring_events_declare_process(struct ring_events *e, uint32_t index);
/* Repeats the definition that an earlier part of the trace has. */
void ring_events_repeat_process(struct ring_events *e, uint32_t index);
/* The process has announced a program; result: enum record_exec. */
void ring_events_await(struct ring_events *e, struct tracked *t, const char *program,
		       int32_t result);
void ring_events_on_start(struct ring_events *e, uint32_t index, const struct record_start *s);
void ring_events_on_child(struct ring_events *e, uint32_t index, const struct record_child *c);

/* ring_events_files.c: paths and descriptions */

bool ring_events_is_skipped(const struct ring_events *e, const char *path);
/* Returns the path of a record, normalized in place; NULL if it has none, or an empty one. */
const char *ring_events_path(char *text, uint32_t size);
/* Defines the description of a record, unless it has a definition. */
void ring_events_define(struct ring_events *e, uint32_t index, const struct record_open *o,
			const char *path);
/*
 * Returns the definition of a description for an event of a process, declared as %file; NULL if it
 * is unknown.
 */
const struct description *ring_events_use_file(struct ring_events *e, uint32_t index,
					       uint32_t number);
void ring_events_close_file(struct ring_events *e, uint32_t index, uint32_t number);

/* ring_events_operations.c: all calls but transfers. Records are changed. */

void ring_events_on_open(struct ring_events *e, const struct iot_event *ev, struct record_open *o,
			 int64_t start_ns);
void ring_events_on_operation(struct ring_events *e, const struct iot_event *ev,
			      struct record_operation *o, int64_t start_ns);

/* ring_events_exit.c: the end of a process */

/* The counters of the kernel */
void ring_events_on_exit(struct ring_events *e, uint32_t index, const struct record_exit *x);
/* An event of kind RING_ENDED */
void ring_events_on_ended(struct ring_events *e, const struct iot_event *ev);

#endif
