/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows by file, process or object, and how the files of this directory share them. */
#ifndef IOTRACE_LIB_STATS_STATS_INTERNAL_H
#define IOTRACE_LIB_STATS_STATS_INTERNAL_H

#include <iotrace/filter.h>

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyze/containers/histogram.h"
#include "lib/base/array.h"
#include "lib/base/idmap.h"
#include "lib/base/text_pool.h"
#include "lib/entities/file_ids.h"
#include "lib/stats/operations.h"
#include "lib/stats/size_counts.h"

enum {
	STATS_OF_SAMPLES = IOT_STATS_SAMPLED | IOT_STATS_HAS_READ_BYTES |
			   IOT_STATS_HAS_WRITTEN_BYTES | IOT_STATS_HAS_READS | IOT_STATS_HAS_WRITES
};

enum { ROW_SIZE_MAX = 232 }; /* of a row that has one file and one class of sizes */

struct stats_row {
	struct iot_stats_row values; /* first: the caller has its address */
	struct size_counts sizes;
};

/* A fileId of a process. */
struct opened {
	uint32_t row; /* number + 1; 0: none yet */
	uint32_t object;
	uint64_t end, length; /* of its previous I/O */
	/* State that joining with earlier events requires: */
	uint32_t first_row;
	uint32_t first_io_row : 29;              /* number + 1, in which it had its first I/O */
	uint32_t active : 1;                     /* had an I/O */
	uint32_t unknown : 1, first_unknown : 1; /* offset: of its last I/O, of its first */
	uint64_t first_offset, first_length;
};

#define FIRST_IO_ROW_MASK ((UINT32_C(1) << 29) - 1)

static_assert(2 * IDMAP_MAX < FIRST_IO_ROW_MASK, "rows have numbers of objects or fileIds");
static_assert(sizeof(struct stats_row) + sizeof(struct opened) <= ROW_SIZE_MAX, "memory of stat");

struct iot_stats {
	struct iot_stats_options options;
	bool failed;     /* out of memory */
	bool layers;     /* a %trace declares several: each has the same I/O */
	bool no_offsets; /* lacks=offset */
	bool no_results; /* lacks=results */
	uint64_t left_out;
	uint64_t counters, file_counters; /* %counter */
	uint64_t samples;                 /* %sample */
	struct text_pool names;           /* of rows, each followed by 0 */
	uint64_t names_size;              /* bytes of names in rows */
	uint64_t unnamed;                 /* names beyond the limit */

	struct stats_row *rows;
	size_t row_count, row_capacity;
	struct file_ids file_ids;
	struct opened *opened; /* by number of the fileId */
	size_t opened_capacity;
	struct idmap group_map; /* objects or processes */
	uint32_t *group_rows;   /* number + 1 */
	size_t group_capacity;
	struct idmap rank_map; /* processes */
	uint64_t *ranks;       /* + 1 */
	size_t rank_capacity;
	struct stats_row total;
	struct operations operations;
	struct histogram durations[2]; /* of reads, of writes; ns */
	int64_t end_ns;                /* the last end of an I/O */
	char *trace_host;              /* malloced; NULL: unknown */
	size_t trace_host_size;
	uint64_t epoch_ns;       /* 0: not declared */
	uint32_t traces;         /* that iot_stats_join_trace has added */
	uint32_t counter_traces; /* ... that have counters of files, but no I/Os */
	bool unaligned;          /* ... some of which declare no epoch */
	size_t combined;         /* rows that were left when they were combined last */
};

/* Rows belong to processes, or to objects, at least until they are combined. */
static inline bool by_process(const struct iot_stats *s)
{
	return s->options.by == IOT_STATS_BY_PROCESS || s->options.by == IOT_STATS_BY_RANK ||
	       s->options.by == IOT_STATS_BY_HOST || s->options.by == IOT_STATS_BY_TRACE;
}

/* Rows are of samples alone. */
static inline bool by_samples(const struct iot_stats *s)
{
	return s->options.by == IOT_STATS_BY_TARGET || s->options.by == IOT_STATS_BY_JOB;
}

static inline bool by_object(const struct iot_stats *s)
{
	return s->options.by == IOT_STATS_BY_OBJECT || s->options.by == IOT_STATS_BY_DIRECTORY;
}

static inline int stats_result(const struct iot_stats *s)
{
	return s->failed ? IOT_ENOMEM : IOT_OK;
}

/*
 * Index of an element in an array parallel to a map, which grows. Returns SIZE_MAX if out of
 * memory.
 */
static inline size_t number_of(struct iot_stats *s, struct idmap *map, uint64_t key, void *array,
			       size_t *capacity, size_t size)
{
	const size_t i = idmap_number(map, key);
	if (array_reserve_index(array, capacity, i, size))
		return i;
	s->failed = true;
	return SIZE_MAX;
}

static inline struct opened *opened_of(struct iot_stats *s, uint32_t process, uint32_t file)
{
	const size_t i = file_ids_number(&s->file_ids, process, file);
	if (array_reserve_index(&s->opened, &s->opened_capacity, i, sizeof *s->opened))
		return &s->opened[i];
	s->failed = true;
	return NULL;
}

/* Adds a row; returns its number + 1, or 0 if out of memory. */
uint32_t stats_add_row(struct iot_stats *s, uint32_t process, uint32_t file, uint32_t object);

/* Counts a %sample in the row of its host, target or job. */
void stats_count_sample(struct iot_stats *s, const struct iot_event *ev);
/* Returns the row that a row of samples of a later part continues, as stats_group_row. */
uint32_t stats_sample_row(struct iot_stats *s, const struct stats_row *more);
/* Drops the rows of samples if the trace has I/Os: samples may have counted the same I/Os. */
void stats_choose_samples(struct iot_stats *s);

static inline bool is_sampled(const struct stats_row *row)
{
	return (row->values.has & IOT_STATS_SAMPLED) != 0;
}

/* Returns the row of an object or process, created if it does not exist, or 0 if out of memory. */
uint32_t stats_group_row(struct iot_stats *s, uint64_t key);

/* Adds the counts, sizes and times of a row to another one. */
void stats_row_add(struct iot_stats *s, struct stats_row *total, const struct stats_row *more);

void stats_row_drop_name(struct iot_stats *s, struct stats_row *row);

/* Copies a name, unless the limit for names is reached; if memory is exhausted, s has failed. */
void stats_row_name(struct iot_stats *s, struct stats_row *row, struct iot_text name);
/* The same with a percent-encoded name. */
void stats_row_name_encoded(struct iot_stats *s, struct stats_row *row, struct iot_text encoded);

/* Returns whether the row keeps the path. Otherwise the caller keeps the path of its object. */
bool stats_names_files(const struct iot_stats *s, const struct stats_row *row);

void stats_set_rank(struct iot_stats *s, uint32_t process, uint64_t rank);

/* Gives each row of one process its rank. */
void stats_give_ranks(struct iot_stats *s);

/* Unknown offsets of one open file count from the same base, so their distance is known. */
static inline void stats_count_follower(struct iot_stats_row *f, const struct opened *o,
					uint64_t offset, uint64_t length, bool unknown)
{
	const bool located = o->unknown == unknown;
	f->followers++;
	f->located += located;
	f->sequential += located && offset == o->end;
	f->same_size += length == o->length;
}

static inline void stats_extend_span(struct iot_stats_row *f, int64_t first_ns, int64_t last_ns)
{
	const bool known = (f->has & IOT_STATS_HAS_TIMES) != 0;
	f->first_ns = known && f->first_ns < first_ns ? f->first_ns : first_ns;
	f->last_ns = known && f->last_ns > last_ns ? f->last_ns : last_ns;
	f->has |= IOT_STATS_HAS_TIMES;
}

/* Reduces the rows of a trace to the keys by which they are combined. */
void stats_set_keys(struct iot_stats *s);

/* Combines rows of one directory, rank, host or trace; of several traces, objects of one path. */
void stats_combine_rows(struct iot_stats *s);

/* Adds all values except the rows. */
void stats_join_sums(struct iot_stats *s, const struct iot_stats *more);

/* Ends a trace: its rows get their final names and values, and no events can follow. */
void stats_end_trace(struct iot_stats *s);

/* Frees all but the options. */
void stats_empty(struct iot_stats *s);

#endif
