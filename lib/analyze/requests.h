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
	int64_t end_ns; /* INT64_MAX if beyond it; start_ns if the duration is unknown */
	uint64_t duration_ns;
	uint32_t stream, file; /* numbers */
	uint8_t flags;         /* enum iot_flag */
	bool write, asynchronous;
};

/*
 * Requests with the same numbers, flags and direction, in their order. Statistics look up what
 * belongs to a span once, and use its sums.
 */
struct io_span {
	uint32_t process;            /* numbers */
	uint32_t thread;             /* of a processId, which has a clock; not if grouped */
	uint32_t stream, pair, file; /* only if grouped; pair: of a process and a file */
	uint16_t type_flags;         /* of the records, without bits that concern no request */
	uint8_t flags;               /* enum iot_flag */
	bool write, asynchronous;
	bool same_length;
	bool disjoint; /* each takes time, and starts after the previous one has ended */
	uint32_t count;
	const struct io_request *request; /* the first one */
	uint64_t bytes, duration_ns;
	uint64_t extent;                   /* the highest end */
	int64_t first_cpu_ns, last_cpu_ns; /* only in the order of the trace */
};

struct io_spans {
	const struct io_span *span;
	size_t count;
};

/* The requests of a layer in the current batch. */
struct io_batch {
	struct io_request request[REQUESTS_MAX]; /* in the order of the trace */
	struct io_span span[REQUESTS_MAX];       /* in that order, of one thread each */
	size_t count, span_count;
	bool summed;     /* the spans have their sums */
	bool one_stream; /* of all requests */
	/* The same requests, by pair of a process and a file: each has a group */
	struct io_request grouped[REQUESTS_MAX];
	struct io_span grouped_span[REQUESTS_MAX];
	uint16_t group_of[REQUESTS_MAX]; /* by request */
	struct io_group {
		uint32_t pair, file, process, count;
	} group[REQUESTS_MAX];
	size_t group_count;
};

/* Sets the sums of a span from its requests. */
void requests_sum(struct io_span *s);

/* Whether start and duration are known. */
static inline bool span_is_timed(const struct io_span *s)
{
	return (s->flags & (IOT_START_UNKNOWN | IOT_DURATION_UNKNOWN)) == 0;
}

static inline bool span_is_located(const struct io_span *s)
{
	return (s->flags & IOT_OFFSET_UNKNOWN) == 0;
}

static inline const struct io_request *span_last(const struct io_span *s)
{
	return s->request + s->count - 1;
}

/* A fileId of a process. */
struct file_id {
	uint32_t object;
	uint32_t stream, pair, file, process, thread; /* numbers + 1; 0: none */
	uint32_t own_file;                            /* its file while the object is unknown */
	uint32_t owner_changes;                       /* of struct requests, at the last binding */
	uint32_t head;                                /* number + 1; 0: none */
	uint32_t batch, group; /* the batch that has requests of it, and its group there */
	uint8_t layer;         /* 0: posix or unknown; 1: mpiio */
	bool has_layer;        /* known: in a part, it may be earlier */
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
	struct io_batch batch[LAYERS];
	uint32_t batch_number; /* from 1 on */
	struct {
		uint32_t batch, group; /* as of a fileId */
	} * pair_group;                /* by pair and layer */
	size_t pair_group_capacity;

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

/* Appends records to the batches of their layers, except those that are not to be analyzed. */
void requests_add(struct requests *r, const struct iot_event *ev, size_t n);
/*
 * The requests since the last requests_clear. In the order of the trace, in spans of one thread
 * each; without sums until requests_sum_spans.
 */
struct io_spans requests_spans(const struct requests *r, unsigned layer);
void requests_sum_spans(struct requests *r, unsigned layer);
/* In spans of one stream each, in the order of the trace within a pair of a process and a file. */
struct io_spans requests_grouped(struct requests *r, unsigned layer);
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
