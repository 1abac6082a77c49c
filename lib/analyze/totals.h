/* SPDX-License-Identifier: BSD-2-Clause */
/* Totals and rates: counts, bytes, extents of files, CPU time of processes. */
#ifndef LIB_ANALYZE_TOTALS_H
#define LIB_ANALYZE_TOTALS_H

#include "requests.h"
#include "values.h"

struct state;

/* Why values of asynchronous requests are unknown. */
#define TOTALS_NO_ASYNCHRONOUS "the source does not show whether requests are asynchronous"

/* Indexed by direction: reads, writes. */
struct totals_io {
	uint64_t count[2], bytes[2];
};

struct totals_file {
	struct totals_io io;
	uint64_t extent; /* highest end of a request; only if `located` */
	bool located;
};

/* The CPU clock of a process, or of a thread, which has one of its own. */
struct totals_clock {
	int64_t first_ns, last_ns; /* only if `known` */
	bool used, known;
};

struct totals {
	struct totals_io io;
	uint64_t offset_unknown[2], offset_unknown_bytes[2];
	uint64_t asynchronous[2], asynchronous_bytes[2];
	uint64_t timed[2], duration_ns[2]; /* requests of known duration, and their sum */
	struct totals_file *files;
	size_t file_capacity;
	struct totals_clock *clocks;
	size_t clock_capacity;
};

/* What all layers have in common. */
struct totals_trace {
	/* first_ns, last_ns: the starts added first and last; only if `timed` */
	int64_t begin_ns, end_ns, first_ns, last_ns;
	bool timed;
	uint64_t out_of_order;
	uint64_t ranks;                    /* declared; 0: not */
	uint64_t job_start_ns, job_end_ns; /* declared; 0: not */
	uint64_t opens, created;           /* successful operations */
	bool operations;                   /* there are any */
	uint64_t lacks;                    /* enum lack */
	uint64_t lost, lost_count;         /* lost: records, as far as they are known */
	bool lengths_requested;
	uint64_t left_out; /* requests of the other layer */
	uint64_t epoch_ns; /* 0: not declared */
};

/* Adds requests by fileId, and the CPU clocks of the same requests in their order. */
bool totals_add(struct totals *t, const struct io_spans *spans);
bool totals_add_clocks(struct totals *t, const struct io_clock *clocks, size_t n);
/*
 * Adds a part, whose files and threads have these numbers in t. clocks: the CPU clocks at the end
 * of what t counts, by thread. Returns false if out of memory.
 */
struct totals_map {
	const uint32_t *file, *thread;
	const struct request_clock *clocks;
	size_t clock_capacity;
};
bool totals_join(struct totals *t, const struct totals *part, const struct totals_map *map);
void totals_join_trace(struct totals_trace *t, const struct totals_trace *part);
/* Adds another trace of the job: the CPU clock of a thread that both have is unknown. */
bool totals_add_trace(struct totals *t, struct totals *more, const struct totals_map *map);
void totals_join_job(struct totals_trace *t, const struct totals_trace *more);
void totals_state(struct state *s, void *of, const struct requests *requests);
void totals_trace_state(struct state *s, struct totals_trace *t);
/*
 * counted, sampled: counters and sums of samples, which replace requests; NULL: none. Samples leave
 * all that depends on files unknown.
 */
struct counters_totals;
void totals_values(const struct totals *t, const struct totals_trace *trace,
		   const struct requests *requests, unsigned layer,
		   const struct counters_totals *counted, const struct totals_io *sampled,
		   struct values *v);
/* The run time of the job in nanoseconds; 0 if unknown. */
uint64_t totals_runtime(const struct totals_trace *trace, const struct requests *requests);
/* The number of processes of the job. */
uint64_t totals_processes(const struct totals_trace *trace, const struct requests *requests);
/* The number of files with a request. */
uint64_t totals_files(const struct totals *t, const struct requests *r, unsigned layer);

#endif
