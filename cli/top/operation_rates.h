/* SPDX-License-Identifier: BSD-2-Clause */
/* Which calls of each operation belong to the last interval: the difference of two results. */
#ifndef CLI_TOP_OPERATION_RATES_H
#define CLI_TOP_OPERATION_RATES_H

#include <stdbool.h>

#include <iotrace/filter.h>

struct operation_rate {
	const struct iot_stats_operation *all; /* since the start; of the results */
	struct iot_stats_operation recent;     /* of the interval */
	bool has_results;                      /* it is known which calls failed */
};

/* Initialize to zero. */
struct operation_rates {
	struct iot_stats_operation *before;
	size_t before_count, before_capacity;
	struct operation_rate
	    *rows; /* of the last call: most time first in the interval, then in all */
	size_t row_capacity, count;
};

/* Returns false if out of memory. */
bool operation_rates_next(struct operation_rates *r, const struct iot_stats *results);
void operation_rates_free(struct operation_rates *r);

#endif
