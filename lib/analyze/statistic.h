/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A statistic of the requests of one layer, as a table of functions. Each statistic defines one at
 * the end of its file; registry.h lists them, and layer.c calls them for all statistics of a layer.
 * `of` is the state of the statistic, which begins as zeros.
 * A function that does nothing is NULL, except `state`.
 */
#ifndef LIB_ANALYZE_STATISTIC_H
#define LIB_ANALYZE_STATISTIC_H

#include <iotrace/analyze.h>

#include "requests.h"
#include "requests_join.h"
#include "rows.h"
#include "sample_kept.h"
#include "values.h"

struct state;

/* The sections whose values need a statistic. */
enum {
	NEED_BUSY = IOT_ANALYZE_TIME | IOT_ANALYZE_PROCESSES,
	NEED_BINS = IOT_ANALYZE_TIME | IOT_ANALYZE_CYCLES,
	NEED_ORDER = IOT_ANALYZE_ORDER | IOT_ANALYZE_FILES,
	NEED_CLASSES = IOT_ANALYZE_CLASSES | IOT_ANALYZE_FILES,
	NEED_REUSE = IOT_ANALYZE_REUSE | NEED_CLASSES
};

/* The requests of a run of records, in one layer. */
struct statistic_batch {
	const struct io_batch *batch;
	struct io_spans grouped, in_order, by_process; /* see requests.h */
	uint64_t epoch_ns;
	uint32_t other_file; /* of struct requests */
};

/* An operation of a process, or the end of a stream, between two batches. */
struct statistic_action {
	enum { ACTION_OPERATION, ACTION_END } kind;
	size_t stream; /* that ends */
	struct request_operation numbers;
	struct row_operation operation;
	uint64_t epoch_ns; /* of the trace */
};

/* The numbers that the processes and files of a part, or of another trace, have in the whole. */
struct statistic_map {
	const struct requests_map *numbers;
	const struct file_key *file_keys;   /* by number in the whole */
	const struct request_clock *clocks; /* before a part; another trace has none */
	size_t clock_capacity;
	uint64_t trace; /* of another trace: how many were added before */
};

/* What values depend on, besides the state. */
struct statistic_values {
	const struct requests *requests;
	uint64_t begin_ns; /* of the trace */
	size_t top;        /* rows of a list */
	bool sampled;      /* files are missing: the trace has more than the limit */
};

/* Functions that return bool return false if out of memory. */
struct statistic {
	/* Bytes of a state that only the file of the statistic knows; 0: struct layer has it. */
	size_t size;
	unsigned sections; /* any of which needs the statistic; 0: `is_needed` decides */
	bool (*is_needed)(const struct iot_analyze_options *o); /* NULL: always, or `sections` */
	void (*init)(void *of, const struct iot_analyze_options *o);
	bool (*add)(void *of, const struct statistic_batch *b);
	bool (*act)(void *of, const struct statistic_action *a);
	/* Adds a %sample, whose times count from epoch_ns, between two batches. */
	bool (*add_sample)(void *of, const struct iot_event *ev, uint64_t epoch_ns);
	/* Adds what depends on the requests at this moment, before other threads add the batch. */
	bool (*add_at_once)(void *of, const struct statistic_batch *b, const struct requests *r);
	/* Begins the heads of the streams of a part. */
	bool (*add_heads)(void *of, const struct requests *r);
	/* Continues streams with a part, before any join; part: NULL if it has no requests. */
	bool (*link)(void *of, void *part, const struct requests_map *map);
	/* Adds the part that follows. */
	bool (*join)(void *of, void *part, const struct statistic_map *map);
	/* Adds another trace of the job, which has ended. */
	bool (*add_trace)(void *of, void *more, const struct statistic_map *map);
	/* Empties caches, so that the state depends only on what was added. */
	bool (*settle)(void *of);
	/* Ends the streams; nothing may be added then. */
	bool (*end)(void *of);
	/* Adds the values of a section, if requests were traced. NULL: iot_analyze_finish does. */
	unsigned values_section;
	bool (*values)(const void *of, const struct statistic_values *from, struct values *v);
	/* Forgets what only the continuation of the trace needs. */
	void (*forget)(void *of);
	/* Makes times count from an epoch that is earlier by `by_ns`. */
	void (*shift)(void *of, uint64_t by_ns);
	/* Drops files outside of the sample, and renumbers the others. */
	void (*sample)(void *of, const struct sample_kept *k);
	/* Saves or loads; see state.h. r: already saved or loaded */
	void (*state)(struct state *s, void *of, const struct requests *r);
	void (*free)(void *of);
};

#endif
