/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters of Darshan, which %counter has at the end of a trace: sums of its modules, by file and
 * by rank. A trace of a log without DXT has no records, only these.
 */
#ifndef LIB_ANALYZE_COUNTERS_H
#define LIB_ANALYZE_COUNTERS_H

#include "lib/analyze/containers/common.h"
#include "lib/analyze/containers/saturate.h"

#include "requests.h"
#include "values.h"

struct state;

enum counters_module { COUNTERS_POSIX, COUNTERS_MPIIO, COUNTERS_STDIO, COUNTERS_MODULES };

enum { COUNTERS_CLASSES = 10 /* of request sizes */ };

/* Sums. Directions follow each other: reads, writes. */
enum counters_sum {
	COUNTERS_REQUESTS,
	COUNTERS_BYTES = COUNTERS_REQUESTS + 2,
	COUNTERS_CONSECUTIVE = COUNTERS_BYTES + 2,
	COUNTERS_SEQUENTIAL = COUNTERS_CONSECUTIVE + 2,
	COUNTERS_COLLECTIVE = COUNTERS_SEQUENTIAL + 2,
	COUNTERS_OPENS = COUNTERS_COLLECTIVE + 2,
	COUNTERS_SEEKS,
	COUNTERS_STATS,
	COUNTERS_MMAPS,
	COUNTERS_SYNCS,
	COUNTERS_SWITCHES,
	COUNTERS_NOT_ALIGNED,
	COUNTERS_SIZE_READ,
	COUNTERS_SIZE_WRITE = COUNTERS_SIZE_READ + COUNTERS_CLASSES,
	COUNTERS_SUMS = COUNTERS_SIZE_WRITE + COUNTERS_CLASSES
};

enum counters_time { COUNTERS_READ, COUNTERS_WRITE, COUNTERS_METADATA, COUNTERS_TIMES };

/* Femtoseconds, as counters are sums of doubles. */
typedef uint128 counters_fs;

struct counters_file {
	uint64_t records;
	uint64_t bytes[2], requests[2];
	uint64_t small[2]; /* requests up to the limit of a small one */
	uint64_t max_byte; /* the highest offset of a byte read or written */
	uint64_t max_read; /* of a byte read */
	uint64_t ranks;    /* records of one rank each */
	bool shared;       /* a record of all ranks */
	/* of records of all ranks: the time of the slowest, of the fastest, and of all */
	counters_fs slowest_fs, fastest_fs, shared_fs;
};

/* In files that have a record of this rank alone. */
struct counters_rank {
	counters_fs fs[COUNTERS_TIMES];
	uint64_t bytes;
};

/* All zeros: none. */
struct counters_totals {
	uint64_t records;
	uint64_t sum[COUNTERS_SUMS];
	bool unmeasured[COUNTERS_SUMS]; /* a record states -1 */
	counters_fs fs[COUNTERS_TIMES];
	counters_fs shared_fs; /* of the slowest rank of each file with a record of all ranks */
	struct common sizes, strides;
	struct counters_file *files; /* by file of the requests */
	size_t file_capacity;
	struct idmap rank_map;
	struct counters_rank *ranks;
	size_t rank_capacity;
};

struct counters {
	struct counters_totals *of[COUNTERS_MODULES]; /* NULL: no counters */
};

/* These return false if out of memory. */
/* A %counter; others than counters of the modules are ignored. */
bool counters_add(struct counters *c, struct requests *r, const struct iot_event *ev);
/* Adds a part or another trace; file[i]: the number in c of its file i. */
bool counters_join(struct counters *c, const struct counters *more, const uint32_t *file);
void counters_state(struct state *s, struct counters *c);
struct counters_totals *counters_of(struct counters *c, unsigned module);
void counters_free(struct counters *c);

static inline double counters_seconds(counters_fs fs)
{
	return (double)fs / 1e15;
}

/* Rounded to nanoseconds. */
static inline uint64_t counters_ns(counters_fs fs)
{
	const uint128 ns = fs / 1000000 + (fs % 1000000 >= 500000);
	return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

/* The files of a class, as darshan-parser counts them. */
enum counters_class {
	COUNTERS_ALL,
	COUNTERS_READ_ONLY,
	COUNTERS_WRITE_ONLY,
	COUNTERS_READ_WRITE,
	COUNTERS_UNIQUE,
	COUNTERS_SHARED,
	COUNTERS_PART_SHARED,
	COUNTERS_FILE_CLASSES
};
/* The time that I/O took, from the time of the slowest ranks. */
struct counters_time_by_slowest {
	uint64_t rank;
	counters_fs fs[COUNTERS_TIMES], unique_fs; /* of the slowest rank in files of its own */
	counters_fs all_fs;
};
/*
 * The longest time that a rank spends in the kinds of a set of bits: that in files of its own, and
 * an equal share of that in files of all ranks. Stores its number, UINT64_MAX without files of one
 * rank.
 */
counters_fs counters_longest(const struct counters_totals *t, unsigned kinds, uint64_t ranks,
			     uint64_t *rank);
/* The number of files with a request. */
uint64_t counters_files(const struct counters_totals *t);
struct counters_time_by_slowest counters_slowest(const struct counters_totals *t);
/* The note of values that come from counters, as there are no records. */
#define COUNTERS_NOTE "from: counters"
/* The share of requests at aligned offsets, and the share at or after the previous one's end. */
void counters_aligned(const struct counters_totals *t, struct values *v);
void counters_sequential(const struct counters_totals *t, struct values *v);
/* The section `counters`; nothing without counters. */
void counters_values(const struct counters *c, struct values *v);

#endif
