/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The processes of a trace as programs: each step is a time of computation and a call. Ids are
 * numbered from 0: processes, objects, and streams (an object as one process uses it).
 */
#ifndef LIB_TIMING_WORLD_H
#define LIB_TIMING_WORLD_H

#include "lib/base/error.h"
#include "lib/base/idmap.h"
#include "lib/simulate/breakdown.h"

enum world_think { THINK_AUTO, THINK_CPU, THINK_WALL, THINK_NONE };
enum world_unknown { UNKNOWN_SKIP, UNKNOWN_FRESH };

struct world_options {
	enum world_think think;
	enum world_unknown unknown; /* records with an unknown offset */
	bool physical;              /* physical records instead of logical ones */
	bool arrivals;              /* one program with all records at their start times */
	enum breakdown_by by;       /* rows that steps belong to */
	uint64_t block;             /* bytes */
	uint64_t request_max;       /* bytes of a record */
	uint64_t memory_max;        /* bytes */
	/* returns whether the object with this path, as encoded in %file, bypasses the cache */
	bool (*is_direct)(void *context, const char *path, size_t n);
	void *context;
};

enum step_kind { STEP_READ, STEP_WRITE, STEP_CALL, STEP_FSYNC, STEP_DROP };

#define STREAM_NONE UINT32_MAX
#define ROW_NONE    UINT32_MAX

struct step {
	uint64_t delay_ns; /* CPU time before the call; of arrivals, the time of arrival */
	uint64_t offset;   /* bytes; STEP_DROP drops the blocks at and after it */
	uint64_t length;
	uint32_t stream; /* or STREAM_NONE */
	uint8_t kind;    /* enum step_kind */
	bool async, direct;
};

struct program {
	uint32_t process; /* id in the trace */
	bool started, has_cpu;
	int64_t cpu_ns, end_ns; /* of the last record; the latest end */
	struct step *steps;
	size_t count, capacity;
	uint32_t *rows; /* of each step, with options.by; or ROW_NONE */
	size_t row_capacity;
};

static inline uint32_t program_row(const struct program *p, size_t step)
{
	return p->rows != NULL ? p->rows[step] : ROW_NONE;
}

struct world_stream {
	uint32_t object, program;
};

struct world_object {
	uint64_t size; /* highest byte that a record touches, + 1 */
	uint32_t opens;
	bool direct;
	bool unlinked; /* dropped at the last close */
};

struct world_counts {
	uint64_t records, operations; /* that are steps */
	uint64_t read_bytes, written_bytes;
	uint64_t other_layer;            /* records of the other layer */
	uint64_t read_ahead;             /* records of the traced system's own read-ahead */
	uint64_t unknown, unknown_bytes; /* records with an unknown offset */
	uint64_t out_of_order;           /* records that start before the previous one */
	uint64_t cpu_backwards;          /* CPU clocks that run backwards */
	uint64_t from_wall, no_think;    /* computations by wall time; unknown ones */
	uint64_t sizeless;               /* truncates without a size */
};

struct world {
	struct world_options options;
	struct error error;
	struct world_counts counts;
	struct program *programs;
	struct world_stream *streams;
	struct world_object *objects;
	size_t program_count, stream_count, object_count;
	struct breakdown breakdown;
	/* Everything below belongs to world.c and world_files.c. */
	size_t program_capacity, stream_capacity, object_capacity;
	struct idmap process_ids, stream_ids, object_ids, file_ids, disk_ids, path_ids;
	uint32_t *object_of_id, *object_of_file, *object_of_disk, *object_of_path; /* + 1 */
	size_t id_capacity, file_capacity, disk_capacity, path_capacity;
	struct world_file *files; /* by number in file_ids */
	size_t files_capacity;
	bool has_direct_files;
	int64_t last_ns;
	uint64_t fresh_end;
	uint32_t fresh_object; /* + 1 */
	uint64_t step_bytes;
};

/* The path of is_direct and the context must outlive the world. */
void world_init(struct world *w, const struct world_options *o);
void world_free(struct world *w);
/* Adds events in the order of the trace. Returns a status, whose sentence is in w->error. */
int world_events(struct world *w, const struct iot_event *ev, size_t n);
/* Returns the memory of the world in bytes. */
uint64_t world_bytes(const struct world *w);
/* Counts the distinct blocks of all records; UINT64_MAX if that needs more memory. */
uint64_t world_distinct(const struct world *w, uint64_t memory);
/* Call once after all events. Returns a status. */
int world_finish(struct world *w);

#endif
