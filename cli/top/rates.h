/* SPDX-License-Identifier: BSD-2-Clause */
/* Which part of the counts belongs to the last interval: the difference of two results. */
#ifndef CLI_TOP_RATES_H
#define CLI_TOP_RATES_H

#include <iotrace/filter.h>

#include "lib/base/idmap.h"

struct interval_counts {
	uint64_t opens, reads, writes, read_bytes, written_bytes, io_ns;
};

struct rate_row {
	const struct iot_stats_row *all; /* since the start; of the results */
	struct interval_counts recent;   /* of the interval */
};

/* Initialize to zero. */
struct rates {
	struct idmap keys; /* of rows */
	struct interval_counts *before;
	size_t capacity;
	struct interval_counts total_before;
	struct rate_row *rows; /* of the last call: largest first in the interval, then in all */
	size_t row_capacity, count;
	struct rate_row total;
};

/* by, sort: of the options of the results. Returns false if out of memory. */
bool rates_next(struct rates *r, const struct iot_stats *results, int by, int sort);
void rates_free(struct rates *r);

#endif
