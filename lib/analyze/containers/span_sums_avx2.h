/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of four requests of a span at once, with AVX2; none if the processor lacks it. */
#ifndef LIB_ANALYZE_CONTAINERS_SPAN_SUMS_AVX2_H
#define LIB_ANALYZE_CONTAINERS_SPAN_SUMS_AVX2_H

#include "lib/analyze/requests.h"

/* Sums over the first requests of a span. */
struct span_sums {
	uint64_t writes, bytes, bytes_written, ns, write_ns;
	uint64_t large;   /* bits of lengths and durations */
	uint64_t differs; /* bits of lengths that differ from the first one */
	bool apart;       /* each takes time, and starts after the previous one has ended */
	uint64_t low, extent;
	int64_t first_ns, last_ns;
};

/*
 * These set the sums of the first requests of a span, and return their number. The first one does
 * so only for offsets and lengths that are not large, the second one sets sums of times alone.
 */
size_t span_sum_avx2(struct span_sums *to, const struct io_span *s);
size_t span_sum_times_avx2(struct span_sums *to, const struct io_span *s);

#endif
