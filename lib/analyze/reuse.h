/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Footprint and reuse: what requests do to bytes that earlier ones have read or written.
 *
 * A part does not know what precedes it, so the state of a byte includes its first use: a byte that
 * was only read, or only written, gets its final state when the part is joined. What the first
 * reads and the first write of a byte are to earlier ones is not counted, but follows from the
 * states of all bytes at the end. A whole trace is a part that follows nothing.
 */
#ifndef LIB_ANALYZE_REUSE_H
#define LIB_ANALYZE_REUSE_H

#include "lib/analyze/containers/byte_map.h"

#include "requests.h"
#include "values.h"

/* Kinds of transfers of a byte, by what precedes them. */
enum reuse_kind {
	REUSE_FIRST_READ,
	REUSE_RE_READ,
	REUSE_READ_AFTER_WRITE,
	REUSE_FIRST_WRITE,
	REUSE_WRITE_AFTER_READ,
	REUSE_OVERWRITE_UNREAD, /* written since it was last read, or never read */
	REUSE_OVERWRITE_READ,
	REUSE_KINDS
};

/* States of bytes at the end. */
enum reuse_state {
	REUSE_READ,         /* never written */
	REUSE_WRITTEN,      /* never read */
	REUSE_WRITTEN_LAST, /* written since it was last read */
	REUSE_READ_LAST,    /* read since it was last written */
	REUSE_STATES
};

/* Bytes of one file, or of all. */
struct reuse_sums {
	uint64_t kind[REUSE_KINDS], state[REUSE_STATES];
};

struct reuse_file {
	struct byte_map map;
	/* bytes of kinds that do not follow from the map */
	uint64_t re_read, read_after_write, overwrite_unread, overwrite_read;
	uint64_t unknown[2];    /* bytes at unknown offsets, by direction */
	int64_t first_write_ns; /* start; only if `write_timed` */
	int64_t last_write_ns;  /* end */
	uint32_t batch;         /* the last one with requests of it */
	bool write_timed;
};

struct reuse {
	struct byte_maps maps;
	uint64_t requests; /* since the maps were rounded */
	struct reuse_file *files;
	size_t capacity;
	uint32_t batch;
	uint32_t
	    other_file; /* of files outside of a sample, which are left out; number + 1; 0: none */
	/* traces without a common order of requests were added, and use the same bytes of a file */
	bool alongside, unordered;
	uint32_t round; /* ranges were rounded to multiples of 2^round bytes; 0: they were not */
};

struct state;

/* These return false if out of memory. */
/* The requests of a batch; `spans` in the order of the trace. */
bool reuse_add(struct reuse *r, const struct io_spans *grouped, const struct io_spans *spans);
/* Adds a part; file[i]: the number in r of its file i. */
bool reuse_join(struct reuse *r, struct reuse *part, const uint32_t *file);
/*
 * The same for another trace of the job: what its requests and earlier ones do to one byte is
 * unknown, unless they all read it.
 */
bool reuse_add_trace(struct reuse *r, struct reuse *more, const uint32_t *file);
/* Sums the bytes of a file, all 0 if it has none. */
void reuse_file_sums(const struct reuse *r, size_t file, struct reuse_sums *to);
void reuse_sums_add(struct reuse_sums *to, const struct reuse_sums *from);
uint64_t reuse_footprint(const struct reuse_sums *s);
uint64_t reuse_unique(const struct reuse_sums *s, bool written);
uint64_t reuse_bytes(const struct reuse_sums *s, bool written);
void reuse_values(const struct reuse *r, struct values *v);

#endif
