/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From events to references: which blocks of which objects a trace refers to, in batches. Several
 * simulations can use a batch.
 */
#ifndef LIB_SIMULATE_REFERENCES_H
#define LIB_SIMULATE_REFERENCES_H

#include <iotrace/iotrace.h>

#include "lib/base/error.h"

#include "breakdown.h"
#include "cache.h"

enum { REFERENCES_MAX = 4096, REFERENCE_ACTIONS_MAX = 1024 };

enum references_unknown {
	REFERENCES_SKIP_UNKNOWN,  /* records with unknown offsets refer to nothing */
	REFERENCES_FRESH_UNKNOWN, /* ... to blocks that no other record refers to */
};

enum references_write { REFERENCES_BACK, REFERENCES_THROUGH, REFERENCES_AROUND };

struct references_options {
	uint32_t block; /* bytes, 1 .. REFERENCES_BLOCK_MAX */
	/*
	 * A record refers to one block, which its object and offset identify, whatever its length:
	 * for traces of keys. The block must be 1.
	 */
	bool whole;
	bool physical;
	enum references_unknown unknown;
	enum references_write write;
	enum breakdown_by by;
	uint64_t request_max; /* bytes of a record */
	bool times;           /* batches have the start times of records */
	/*
	 * Runs have streams, and drops extend to all later blocks, which may have been prefetched.
	 */
	bool prefetching;
};

#define REFERENCES_BLOCK_MAX ((uint32_t)1 << 30)

/* The object of the blocks of REFERENCES_FRESH_UNKNOWN. */
enum { REFERENCES_FRESH_OBJECT = (1 << CACHE_OBJECT_BITS) - 1 };

enum run_flag {
	RUN_WRITE = 0x01,
	RUN_BEGINS = 0x02, /* the first reference is the first one of its record */
	RUN_ENDS = 0x04,   /* the last one is the last one */
	/* with prefetching: */
	RUN_SEQUENTIAL = 0x08, /* the record begins where the last one of its stream ended */
	RUN_AT_ZERO = 0x10,    /* the record begins at offset 0 */
	RUN_AFTER_READ = 0x20, /* ... where the last read of its stream ended */
	RUN_ASYNC = 0x40,      /* the process did not wait for the record */
};

/*
 * A record, or the part of a record that fits into the batch: references to adjacent blocks, in
 * ascending order. A sample has some of them.
 */
struct reference_run {
	uint32_t first, count;     /* references */
	uint32_t skipped_at_begin; /* bytes of the first block that do not belong to the record */
	uint32_t skipped_at_end;   /* ... of the last block */
	uint32_t row, stream;      /* stream: a process's use of an object, with prefetching */
	uint32_t blocks;           /* of the record */
	uint32_t flags;            /* enum run_flag */
};

/* Blocks [first, last] leave the cache (drop), or are written to the device. */
struct reference_action {
	uint32_t before; /* index of the next reference */
	bool drop;
	uint64_t first, last;
};

#define REFERENCE_TIME_UNKNOWN INT64_MIN

struct reference_batch {
	uint64_t key[REFERENCES_MAX];
	uint8_t how[REFERENCES_MAX]; /* enum cache_how */
	struct reference_run run[REFERENCES_MAX];
	int64_t start_ns[REFERENCES_MAX]; /* of the records of runs, with options.times */
	struct reference_action action[REFERENCE_ACTIONS_MAX];
	uint32_t count, runs, actions;
};

/* By direction: [0] reads, [1] writes. */
struct reference_totals {
	uint64_t references[2], records[2], bytes[2];
};

struct references_counts {
	struct reference_totals all;
	uint64_t no_blocks;   /* records of length 0, which refer to nothing */
	uint64_t other_layer; /* records of the other layer */
	uint64_t read_ahead;  /* records of the traced system's own read-ahead */
	uint64_t unknown, unknown_bytes, known_bytes; /* of offsets */
	uint64_t out_of_order;                /* records that start before the preceding one */
	uint64_t traced_misses;               /* records with IOT_CACHE_MISS */
	uint64_t traced_hits;                 /* ... with IOT_READ_AHEAD_HIT and without that */
	uint64_t unlinked, truncated, synced; /* operations with an effect */
	uint64_t truncated_unknown;           /* truncates without a size= */
	uint64_t unnamed; /* unlinks and others of an object that is not known */
	uint64_t objects;
	bool layers; /* records of MPI-IO and of POSIX calls */
};

struct references;

/* Returns NULL if out of memory. */
struct references *references_new(const struct references_options *options);
void references_free(struct references *r); /* NULL is ignored */
/*
 * Appends to a batch, which the caller has emptied or filled in part, the references of events.
 * Returns IOT_OK with *used events consumed, which is less than n if the batch is full; or a
 * status, with the sentence in references_error().
 */
int references_add(struct references *r, struct reference_batch *b, const struct iot_event *ev,
		   size_t n, size_t *used);
/* Returns whether a record is continued in the next batch. */
bool references_pending(const struct references *r);
const char *references_error(const struct references *r);
/* Returns whether the error is a record that is longer than options.request_max. */
bool references_is_too_long(const struct references *r);
const struct references_counts *references_counts(const struct references *r);

/* The totals of each row. */
size_t references_rows(const struct references *r);
const struct reference_totals *references_row(const struct references *r, size_t row);

struct breakdown_name references_name(const struct references *r, size_t row);
/* The block after the highest one that was referenced, of the object of a key; 0: none. */
uint64_t references_end(const struct references *r, uint32_t object);
/* The number of runs' streams so far. */
size_t references_streams(const struct references *r);

#endif
