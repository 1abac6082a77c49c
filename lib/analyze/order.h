/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Order within streams: what each request is to the previous one of its stream, and the patterns of
 * streams. A mixed stream holds the reads and writes of an open file, a direction stream one of
 * these.
 */
#ifndef LIB_ANALYZE_ORDER_H
#define LIB_ANALYZE_ORDER_H

#include "common.h"
#include "few.h"
#include "histogram.h"
#include "requests.h"
#include "values.h"

enum order_pattern {
	PATTERN_SHORT,
	PATTERN_CONTIGUOUS,
	PATTERN_SIMPLE,
	PATTERN_NESTED,
	PATTERN_SEQUENTIAL,
	PATTERN_RANDOM,
	PATTERNS
};

/* The requests of one direction in a stream. */
struct order_direction {
	uint64_t offset, end, stride; /* of the previous request, if `follows`, `has_stride` */
	uint64_t requests, bytes;     /* of known offset */
	uint64_t transitions, contiguous, forward;
	struct few strides;
	bool follows, has_stride;
};

struct order_stream {
	uint64_t end, length; /* of the previous request, if `follows` */
	uint64_t run_requests, run_bytes;
	struct order_direction of[2];
	bool follows, write;
};

struct order {
	uint64_t followers, sequential, same_size, switches; /* in mixed streams */
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
};

/* These return false if out of memory. */
bool order_add(struct order *o, const struct io_request *list, size_t n);
/* Ends a stream; its number may then be used again. */
bool order_end(struct order *o, size_t stream);
bool order_end_all(struct order *o);
/* After order_end_all. */
void order_values(const struct order *o, struct values *v);
void order_free(struct order *o);

#endif
