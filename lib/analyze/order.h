/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Order within streams: what each request is to the previous one of its stream, and the patterns of
 * streams. A mixed stream holds the reads and writes of an open file, a direction stream one of
 * these.
 */
#ifndef LIB_ANALYZE_ORDER_H
#define LIB_ANALYZE_ORDER_H

#include "lib/analyze/containers/common.h"
#include "lib/analyze/containers/few.h"
#include "lib/analyze/containers/histogram.h"

#include "requests.h"
#include "values.h"

struct counters_totals;

enum order_pattern {
	PATTERN_SHORT,
	PATTERN_CONTIGUOUS,
	PATTERN_SIMPLE,
	PATTERN_NESTED,
	PATTERN_SEQUENTIAL,
	PATTERN_RANDOM,
	PATTERNS
};

extern const char *const order_patterns[PATTERNS]; /* their names */

/* The requests of one direction in a stream. */
struct order_direction {
	uint64_t offset, end, stride; /* of the previous request, if `follows`, `has_stride` */
	uint64_t requests, bytes;     /* of known offset */
	uint64_t transitions, contiguous, forward;
	struct few strides;
	bool follows, has_stride;
};

/* The first requests of one direction in a stream that may continue one of an earlier part. */
struct order_first {
	enum {
		FIRST_NONE,
		FIRST_UNKNOWN, /* the first offset is unknown: nothing to continue */
		FIRST_OPEN,    /* one request, which the next one may follow */
		FIRST_ALONE,   /* one request, which nothing follows */
		FIRST_FOLLOWED
	} kind;
	bool consecutive;                /* the second request is */
	uint64_t offset, length, stride; /* stride: of the second request */
};

struct order_stream {
	uint64_t end, length; /* of the previous request, if `follows` */
	uint64_t run_requests, run_bytes;
	uint64_t followers, sequential, same_size;
	struct order_direction of[2];
	bool follows, write;
	uint32_t file;
	/*
	 * A request at `end` of the same length and direction is like the previous one: it has the
	 * stride `length`, which the direction has counted. False if not known
	 */
	bool steady;
	uint32_t head; /* number + 1; 0: the stream begins in this part */
};

/*
 * The beginning of a stream that may continue one of an earlier part; its first run is counted when
 * it is joined.
 */
struct order_head {
	bool used, unknown; /* unknown: the first offset is */
	bool write, run_ended, ended;
	uint64_t offset, length;
	uint64_t run_requests, run_bytes; /* of the first run, if `run_ended` */
	struct order_first of[2];
	struct order_stream stream; /* if `ended` */
	uint32_t number;            /* of the stream, if not `ended` */
};

/* The ended streams of a file. */
struct order_file {
	uint64_t followers, sequential, same_size;
	uint64_t pattern_requests[PATTERNS];
	uint64_t stride; /* of its simple and nested strided streams, if STRIDE_ONE */
	enum {
		STRIDE_NONE, /* no streams */
		STRIDE_ONE,
		STRIDE_OTHER /* several strides, or a stream of another pattern */
	} strides;
};

struct order {
	bool by_file;                                        /* keeps files */
	uint64_t followers, sequential, same_size, switches; /* in mixed streams; all but
								switches: that have ended */
	struct histogram run_requests, run_bytes, seek;
	struct order_counts {
		uint64_t followers, consecutive, forward, again, backward, strided;
		struct {
			uint64_t streams, requests, bytes;
		} pattern[PATTERNS];
	} of[2];
	struct common strides[2];
	struct order_stream *streams;
	size_t capacity;
	struct order_head *heads; /* indexed as the heads of the requests */
	size_t head_count, head_capacity;
	struct order_file *files; /* if by_file */
	size_t file_capacity;
};

/* These return false if out of memory. */
bool order_add(struct order *o, const struct io_spans *spans);
/* Ends a stream; its number may then be used again. */
bool order_end(struct order *o, size_t stream);
bool order_end_all(void *of);
/* After order_end_all: frees the beginning of a part, to which nothing will be joined. */
void order_forget(void *of);
/* Adds the heads of `r` that this has not seen. */
bool order_add_heads(void *of, const struct requests *r);
/* In these, file: the numbers in o of the files of the part. */
/* Adds the counts of a part, without its heads and streams. */
bool order_join(struct order *o, const struct order *part, const uint32_t *file);
/* `stream` begins at this head. */
bool order_begin_head(struct order *o, size_t head, size_t stream);
/* Continues streams by the heads of a part, before order_join; NULL: it has no requests. */
struct requests_map;
bool order_link_streams(void *of, void *part, const struct requests_map *map);
/* After order_end_all; counted: counters that replace requests; NULL: none. */
void order_values(const struct order *o, const struct counters_totals *counted, struct values *v);
void order_free(void *of);

/* After requests_state; saving: after order_add_heads. See state.h. */
struct state;
void order_state(struct state *s, void *of, const struct requests *r);

#endif
