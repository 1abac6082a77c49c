/* SPDX-License-Identifier: BSD-2-Clause */
/* Durations of reads and writes. */
#ifndef LIB_ANALYZE_LATENCY_H
#define LIB_ANALYZE_LATENCY_H

#include "lib/analyze/containers/histogram.h"

#include "requests.h"

struct state;

/* Of requests whose start and duration are known, by direction. */
struct latency {
	struct histogram durations[2];
	uint64_t bytes[2];
};

void latency_add(struct latency *l, const struct io_spans *spans);
void latency_join(struct latency *l, const struct latency *part);

#endif
