/* SPDX-License-Identifier: BSD-2-Clause */
/* One policy and size: a cache that batches of references run through, and what it counts. */
#ifndef LIB_SIMULATE_SIMULATION_H
#define LIB_SIMULATE_SIMULATION_H

#include "estimate.h"
#include "references.h"

enum simulation_prefetch {
	PREFETCH_NONE,
	PREFETCH_NEXT,    /* the next blocks after a miss */
	PREFETCH_REQUEST, /* after a sequential read, as many blocks as it has */
	PREFETCH_WINDOW,  /* as Linux does */
};

struct simulation_options {
	enum cache_policy policy;
	uint64_t capacity;
	const struct cache_future *future; /* for CACHE_OPT */
	enum references_write write;
	bool rmw; /* a write to a part of an absent block reads it first */
	enum simulation_prefetch prefetch;
	uint64_t prefetch_blocks; /* of PREFETCH_NEXT; the largest window of PREFETCH_WINDOW */
	uint32_t block;           /* bytes */
	bool rows;                /* count the hits of each row */
	/*
	 * The highest blocks of the objects in an earlier pass, which prefetching does not pass.
	 * NULL: the highest blocks of the records so far
	 */
	const struct references *extents;
	const struct device_options *device; /* for estimates of its time; NULL: none */
};

/* By direction: [0] reads, [1] writes. */
struct simulation_hits {
	uint64_t references[2], records[2], bytes[2];
};

struct simulation_counts {
	struct simulation_hits hits;
	uint64_t prefetched_hits;             /* among the references: of blocks not used before */
	uint64_t device_reads, device_writes; /* blocks */
	struct cache_counts cache;
	uint64_t resident;
	/* Estimates: for the I/Os of the device, and for those that a process waits for. */
	uint64_t device_ns, waited_ns;
};

struct simulation;

/* Bytes that simulation_new() allocates; references: their number, for CACHE_OPT. */
uint64_t simulation_bytes(const struct simulation_options *o, uint64_t references);
/* Returns NULL if out of memory. */
struct simulation *simulation_new(const struct simulation_options *options);
void simulation_free(struct simulation *s);               /* NULL is ignored */
uint64_t simulation_capacity(const struct simulation *s); /* blocks */
/* Returns IOT_OK or IOT_ENOMEM. */
int simulation_run(struct simulation *s, const struct reference_batch *b);
/* After all references. Returns IOT_OK or IOT_ENOMEM. */
int simulation_finish(struct simulation *s);
/* The results of the last batch: bits of enum cache_result of each reference. */
const uint8_t *simulation_results(const struct simulation *s);
/* The counts so far; blocks that are dirty now count as written to the device. */
struct simulation_counts simulation_counts(const struct simulation *s);
/* The hits of a row; zero if it has none. */
struct simulation_hits simulation_row(const struct simulation *s, size_t row);

#endif
