/* SPDX-License-Identifier: BSD-2-Clause */
/* Request sizes: distribution, common sizes, alignment, variability. Indexed by direction. */
#ifndef LIB_ANALYZE_SIZES_H
#define LIB_ANALYZE_SIZES_H

#include "lib/analyze/containers/common.h"
#include "lib/analyze/containers/few.h"
#include "lib/analyze/containers/histogram.h"

#include "requests.h"
#include "values.h"

struct state;

enum { ZERO_BITS = 65, SIZES_RECENT = 64 };

struct request_sizes {
	struct sizes_direction {
		struct histogram lengths;
		uint64_t bytes[HISTOGRAM_BINS]; /* by length */
		struct common common;
		/* by trailing zero bits; 64: the number 0. Offsets only if known */
		uint64_t offset_zeros[ZERO_BITS], length_zeros[ZERO_BITS];
		struct few *pairs; /* the sizes of a process in a file */
		size_t pair_capacity;
		struct { /* by hash: recent lengths, and the requests that are not yet counted */
			uint64_t length, requests;
		} recent[SIZES_RECENT];
	} of[2];
};

/* These return false if out of memory. */
bool sizes_add(struct request_sizes *s, const struct io_spans *grouped);
/* Adds n requests of one length, whose files are not known. */
bool sizes_count(struct request_sizes *s, unsigned direction, uint64_t length, uint64_t n);
/* Counts what the last sizes_add have left; before any use of the counts. */
bool sizes_settle(void *of);
/*
 * Adds a part, which is settled and whose pairs have these numbers in s. Returns false if out of
 * memory.
 */
bool sizes_join(struct request_sizes *s, const struct request_sizes *part, const uint32_t *pair);
void sizes_state(struct state *s, void *of, const struct requests *requests);
/* counted: counters that replace requests; NULL: none. */
struct counters_totals;
void sizes_values(const struct request_sizes *s, const struct iot_analyze_options *o,
		  const struct counters_totals *counted, struct values *v);
void sizes_free(void *sizes);

#endif
