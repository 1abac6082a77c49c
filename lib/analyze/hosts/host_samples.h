/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples of the counters of hosts: sums, and increases that are spread evenly over the interval of
 * their sample. A sample is not a request: it has no file and no offset.
 */
#ifndef LIB_ANALYZE_HOSTS_HOST_SAMPLES_H
#define LIB_ANALYZE_HOSTS_HOST_SAMPLES_H

#include "lib/analyze/over_time/cells.h"
#include "lib/analyze/over_time/series.h"
#include "lib/analyze/sizes.h"
#include "lib/base/idmap.h"
#include "lib/format/sample.h"

#include "coverage.h"

enum {
	COUNTED_HOSTS_MAX = 1 << 20,
	COUNTED_HOST_SIZE = 3 * 4096, /* percent-encoded */
	COUNTED_CELLS = 4
};

struct sample_sums {
	uint32_t known; /* bit for each value that a sample has */
	uint64_t sum[SAMPLE_VALUES];
};

struct counted_host {
	char *name; /* percent-encoded */
	struct sample_sums sums;
};

/* All zeros: no samples. Indexed by value: read and written bytes, reads and writes. */
struct host_samples {
	uint64_t count, gaps, resets, doubtful;
	uint64_t wrong;       /* without a host or a time, or with a wrong number; not counted */
	uint64_t interval_ns; /* the usual interval, which the trace declares; 0: unknown */
	struct sample_sums sums;
	struct histogram took;
	struct request_sizes sizes; /* the means of intervals */
	/*
	 * All that follows is without samples of gaps, which say how much happened, and not when.
	 */
	struct cells of_hosts[2], calls_of_hosts[2]; /* [0]: by host; [1]: of all, as one row */
	struct series series;                        /* intervals in which anything happened */
	struct coverage coverage;
	struct idmap numbers; /* of hosts, by hash of the name */
	struct counted_host *host;
	/* Coverage by counter: one host, target and job, which sample_key() makes a number of. */
	struct coverage of_counters;
	struct idmap counters;
	uint64_t counters_ns; /* the intervals, added up */
	size_t host_capacity;
};

static inline bool sample_sums_know(const struct sample_sums *s, enum sample_value v)
{
	return (s->known & UINT32_C(1) << v) != 0;
}

/* Returns the position of each host in the order of their names; NULL if out of memory. */
uint32_t *host_samples_order(const struct host_samples *h);

#endif
