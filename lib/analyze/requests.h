/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Selects the requests of a batch, with the numbers of the processes, files and streams that they
 * belong to, so that each is looked up once per request.
 */
#ifndef LIB_ANALYZE_REQUESTS_H
#define LIB_ANALYZE_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

#include <iotrace/analyze.h>

#include "lib/analyze/tables/file_sums.h"
#include "lib/base/ahead.h"
#include "lib/base/idmap.h"
#include "lib/entities/file_ids.h"
#include "lib/entities/files.h"
#include "lib/entities/process_ids.h"

/*
 * A batch of one run fits in the second level of the cache. Requests that are scattered over many
 * files wait for more runs: each process and file is then loaded once for several of its requests.
 */
enum { REQUESTS_RUN = 1024, REQUESTS_MAX = 8 * REQUESTS_RUN, LAYERS = 2 };
enum {
	STREAMS_MAX = 1 << 18, /* open at the same time */
	HEADS_MAX = STREAMS_MAX,
};
/* The sections with rows of processes and files, for which files of operations are numbered. */
enum { REQUESTS_ROWS = IOT_ANALYZE_FILES | IOT_ANALYZE_PROCESSES };

/*
 * Requests with the same numbers and flags, in their order. Statistics look up what belongs to a
 * span once, and use its sums.
 */
struct io_span {
	uint32_t process;            /* number; in the order of the trace not set */
	uint32_t stream, pair, file; /* only if grouped; pair: of a process and a file */
	uint8_t flags;               /* enum iot_flag */
	bool asynchronous;
	/* These are false in spans that are not summed. */
	bool same_length;
	bool disjoint; /* each takes time, and starts after the previous one has ended */
	uint32_t count;
	/* by request */
	const uint64_t *offset, *length; /* bytes; offset: by process only if there is only one */
	const int64_t *start_ns;
	const int64_t *end_ns; /* INT64_MAX if beyond it; the start if the duration is unknown */
	const bool *write;
	const uint16_t *id; /* index of struct io_spans.ids; only in the order of the trace */
	struct io_sums {
		uint64_t count, bytes, duration_ns;
	} of[2];                   /* reads, writes */
	uint64_t low, extent;      /* the lowest offset, the highest end */
	int64_t first_ns, last_ns; /* the earliest start, the latest end */
};

/* A fileId in a batch; its numbers. */
struct io_id {
	uint32_t stream, file, process, group;
};

struct io_spans {
	const struct io_span *span;
	size_t count;
	const struct io_id *ids;
};

/* Consecutive records of a thread; first_ns, last_ns: CPU clocks, only if `known`. */
struct io_clock {
	uint32_t thread;
	bool known;
	int64_t first_ns, last_ns;
};

/* The requests of a layer in the current batch. */
struct io_batch {
	struct io_columns {
		uint64_t offset[REQUESTS_MAX], length[REQUESTS_MAX];
		int64_t start_ns[REQUESTS_MAX], end_ns[REQUESTS_MAX];
		bool write[REQUESTS_MAX];
	} in_trace, by_process, by_group;
	/* in the order of the trace */
	uint16_t id_of[REQUESTS_MAX];
	uint16_t type_flags[REQUESTS_MAX]; /* without the bits of types that concern no span */
	size_t count;
	unsigned differ; /* bits of type_flags that are not the same in all requests */
	struct io_id id[REQUESTS_MAX];
	size_t ids;
	struct io_group { /* of a pair of a process and a file */
		uint32_t pair, file, process, count;
		uint64_t process_id;
		struct file_key key;
	} group[REQUESTS_MAX];
	size_t group_count;
	struct io_clock clock[REQUESTS_MAX];
	size_t clock_count;
	struct io_order {                    /* of the view that is made */
		uint16_t part[REQUESTS_MAX]; /* of a fileId */
		uint16_t next[REQUESTS_MAX]; /* of a part: the position of its next request */
		uint16_t from[REQUESTS_MAX]; /* the indexes of all requests, reordered */
	} order;
	struct io_view {
		struct io_span span[REQUESTS_MAX];
		size_t count; /* 0: not made */
		bool summed;
	} in_order, of_processes, of_groups;
};

/*
 * Loads what a statistic keeps for the span that a loop reaches some steps after span i, in an
 * array whose index is the number NUMBER of the span.
 */
#define SPANS_AHEAD(SPANS, I, NUMBER, ARRAY, CAPACITY)                                             \
	do {                                                                                       \
		if ((I) + AHEAD_STEPS < (SPANS)->count)                                            \
			ahead_element(ARRAY, CAPACITY, (SPANS)->span[(I) + AHEAD_STEPS].NUMBER,    \
				      sizeof *(ARRAY));                                            \
	} while (0)

/* Returns whether start and duration are known. */
static inline bool span_is_timed(const struct io_span *s)
{
	return (s->flags & (IOT_START_UNKNOWN | IOT_DURATION_UNKNOWN)) == 0;
}

static inline bool span_is_located(const struct io_span *s)
{
	return (s->flags & IOT_OFFSET_UNKNOWN) == 0;
}

/* The end of the last request. */
static inline int64_t span_end(const struct io_span *s)
{
	return s->end_ns[s->count - 1];
}

/* 0 if it is unknown. */
static inline uint64_t span_duration(const struct io_span *s, size_t i)
{
	return (uint64_t)s->end_ns[i] - (uint64_t)s->start_ns[i];
}

/* A fileId of a process. */
struct file_id {
	uint32_t object;
	uint32_t stream, pair, file, process, thread; /* numbers + 1; 0: none */
	uint32_t owner_changes;                       /* of processes, at the last binding */
	uint32_t head;                                /* number + 1; 0: none */
	uint32_t batch, number; /* the batch that has requests of it, and its index there */
	uint8_t layer;          /* 0: posix or unknown; 1: mpiio */
	bool has_layer : 1;     /* known: in a part, it may be earlier */
	/* the definition that applies to operations; in a part, it may be earlier: not `defined` */
	bool defined : 1;
	bool synchronous : 1; /* opened with O_SYNC or O_DSYNC */
	/* in a part with HEADS_MAX heads, it has none; closed_first: as in a head, if left_out */
	bool left_out : 1, closed_first : 1;
	uint32_t defined_object;
	struct own_files own;
	uint32_t sums; /* of its requests, in struct file_sums; number + 1; 0: not looked up */
};

/* The numbers of an operation; SIZE_MAX: none. */
struct request_operation {
	size_t process, pair;
	bool synchronous; /* the file was opened with O_SYNC or O_DSYNC */
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
	struct io_batch *batch; /* of each layer; the owner's */
	uint32_t batch_number;  /* from 1 on */
	/* by pair or process, and layer */
	struct batch_number {
		uint32_t batch, number; /* number: of its group or process in that batch */
	} * pair_group, *process_part;
	size_t pair_group_capacity, process_part_capacity;

	struct file_ids file_ids;
	struct file_id *ids; /* by number */
	size_t id_capacity;
	struct process_ids processes;
	struct files files;
	struct idmap pair_map; /* idmap_pair(process + 1, file + 1); of numbers */
	uint32_t streams;
	uint32_t *free_streams; /* numbers of streams that have ended */
	size_t free_count, free_capacity;
	struct stream_end *ended;
	size_t ended_count, ended_capacity;
	uint64_t streams_limited;   /* streams that ended early */
	struct file_sums file_sums; /* of files outside of the sample, see sample.h */
	bool has_mpiio;             /* a file is declared to be of this layer */
	size_t fixed_pairs; /* of all others and of undefined files, which no sample drops */
	struct request_head *heads; /* only in parts */
	size_t head_count, head_capacity;
	struct request_clock *clocks;
	size_t clock_capacity;
	/* counts of logical records that are no requests, by data kind and direction */
	uint64_t other[4][2], other_bytes[4][2];
	uint64_t left_out; /* physical records, or with `physical` logical ones */
	bool waiting;      /* the batch has records */
	bool failed;       /* out of memory */
};

/*
 * Appends up to REQUESTS_RUN records to the batches of their layers, except those that are not to
 * be analyzed.
 */
void requests_add(struct requests *r, const struct iot_event *ev, size_t n);
/* Returns whether another run fits in the batch, and likely makes its spans longer. */
bool requests_wait(const struct requests *r);
/*
 * The requests since the last requests_clear: in the order of the trace, without sums; and in the
 * order of each process, in spans of one process each, with sums of times after requests_sum_times.
 */
struct io_spans requests_in_order(struct requests *r, unsigned layer);
struct io_spans requests_by_process(struct requests *r, unsigned layer);
void requests_sum_times(struct requests *r, unsigned layer);
/* In spans of one stream each, in the order of the trace within a pair of a process and a file. */
struct io_spans requests_grouped(struct requests *r, unsigned layer);
void requests_clear(struct requests *r);
/* Applies %process, %file, or an %op that closes a file. */
void requests_define_process(struct requests *r, const struct iot_event *ev);
void requests_define_file(struct requests *r, const struct iot_event *ev, struct iot_text layer,
			  struct iot_text flags);
/* Returns the number of the stream that a close ends, + 1; 0: none. */
uint32_t requests_close(struct requests *r, const struct iot_event *ev);
/* Returns whether a file has a number. */
bool requests_knows_file(const struct requests *r, const struct file_key *key);
/* Marks the process of an operation; numbers its file only for rows. */
struct request_operation requests_operation(struct requests *r, const struct op *op);
/* After a batch: ends the streams used least recently if more than STREAMS_MAX are open. */
void requests_limit_streams(struct requests *r);
/* After a batch: frees the numbers of replaced streams, which the statistics have ended. */
void requests_end_replaced(struct requests *r);
void requests_free(struct requests *r);

/* Saves or loads the numbering, before all statistics that refer to it; see state.h. */
struct state;
void requests_state(struct state *s, struct requests *r);

#endif
