/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Selects the requests of a batch, and numbers the processes, files and streams that they belong
 * to, so that each is looked up once per request.
 */
#ifndef LIB_ANALYZE_REQUESTS_H
#define LIB_ANALYZE_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

#include <iotrace/analyze.h>

#include "lib/base/idmap.h"

/* A batch and its events fit in the processor's cache. */
enum { REQUESTS_MAX = 256, LAYERS = 2, REQUESTS_RECENT = 256 };
/* The sections with rows of processes and files, for which files of operations are numbered. */
enum { REQUESTS_ROWS = IOT_ANALYZE_FILES | IOT_ANALYZE_PROCESSES };

struct io_request {
	uint64_t offset, length; /* bytes */
	int64_t start_ns;
	uint64_t duration_ns;
	int64_t cpu_ns;
	uint32_t stream, pair, file, process; /* numbers; pair: of a process and a file */
	uint32_t thread;                      /* number of the processId, which has a clock */
	uint8_t flags;                        /* enum iot_flag */
	bool write, asynchronous;
	/*
	 * Requests that follow with the same numbers, flags and direction: a span. Statistics look
	 * up what belongs to a span once
	 */
	uint8_t following;
};

/* A fileId of a process. */
struct file_id {
	uint32_t object;
	uint32_t stream, pair, file, process, thread; /* numbers + 1; 0: none */
	uint32_t own_file;                            /* its file while the object is unknown */
	uint32_t owner_changes;                       /* of struct requests, at the last binding */
	uint32_t head;                                /* number + 1; 0: none */
	uint8_t layer;                                /* 0: posix or unknown; 1: mpiio */
	bool has_layer;                               /* known: in a part, it may be earlier */
	/* the definition that applies to operations; in a part, it may be earlier: not `defined` */
	bool defined;
	uint32_t defined_object;
	uint32_t undefined_file; /* of operations in a part without a definition; number + 1 */
};

/* Identifies a file: an object, or without one a fileId of a process. */
struct file_key {
	uint32_t object, process, file;
	bool undefined; /* in a part: the file that an earlier part declares for this fileId */
};

/* The numbers of an operation; SIZE_MAX: none. */
struct request_operation {
	size_t process, pair;
};

/*
 * The first request or close of a fileId in a part: its stream continues one of an earlier part, if
 * that is still open.
 */
struct request_head {
	uint32_t id;              /* index */
	uint32_t object, file;    /* of the first request; file: number + 1, 0: none */
	uint32_t stream;          /* of the first request, unless closed before; number + 1 */
	bool closed_first, ended; /* ended: the stream has */
};

/* A stream that the one of another object has replaced. */
struct stream_end {
	uint32_t stream, head;
};

/* The CPU clock after the last record of a thread. */
struct request_clock {
	int64_t ns;
	bool known;
};

struct requests {
	struct iot_analyze_options options;
	struct io_request list[LAYERS][REQUESTS_MAX]; /* of the current batch */
	size_t count[LAYERS], span[LAYERS]; /* span: index of the first request of the last one */
	uint64_t span_key[LAYERS];          /* what its requests have in common; 0: nothing */

	struct idmap id_map; /* (process, file) */
	struct {
		uint64_t key;
		size_t number;     /* + 1; 0: none */
	} recent[REQUESTS_RECENT]; /* of id_map, by hash */
	struct file_id *ids;
	size_t id_capacity;
	struct idmap process_map;
	uint32_t *owner; /* of a thread: number of its process + 1; 0: itself */
	uint32_t owner_changes;
	bool *active; /* processes with a request or an operation */
	size_t owner_capacity, active_capacity, active_count;
	struct idmap object_map, pair_map;
	uint32_t *object_file; /* of an object: number of its file + 1 */
	size_t object_capacity;
	uint32_t files, streams;
	struct file_key *file_keys; /* by file */
	size_t file_key_capacity;
	uint32_t *free_streams; /* numbers of streams that have ended */
	size_t free_count, free_capacity;
	struct stream_end *ended;
	size_t ended_count, ended_capacity;
	struct request_head *heads; /* only in parts */
	size_t head_count, head_capacity;
	struct request_clock *clocks;
	size_t clock_capacity;
	/* counts of logical records that are no requests, by data kind and direction */
	uint64_t other[4][2], other_bytes[4][2];
	uint64_t left_out;    /* physical records, or with `physical` logical ones */
	bool late_operations; /* of a thread, in a part, before its %process */
	bool failed;          /* out of memory */
};

/* Appends records to the lists of their layers, except those that are not to be analyzed. */
void requests_add(struct requests *r, const struct iot_event *ev, size_t n);
void requests_clear(struct requests *r);
/* Applies %process, %file, or an %op that closes a file. */
void requests_define_process(struct requests *r, const struct iot_event *ev);
void requests_define_file(struct requests *r, const struct iot_event *ev);
/* Returns the number of the stream that a close ends, + 1; 0: none. */
uint32_t requests_close(struct requests *r, const struct iot_event *ev);
/* Marks the process of an operation; numbers its file only for rows. */
struct request_operation requests_operation(struct requests *r, const struct iot_event *ev);
/* After a batch: frees the numbers of replaced streams, which the statistics have ended. */
void requests_end_replaced(struct requests *r);
void requests_free(struct requests *r);

#endif
