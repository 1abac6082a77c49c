/* SPDX-License-Identifier: BSD-2-Clause */
/* The results of an interval, as a table or as a line of JSON. */
#ifndef CLI_TOP_TABLE_H
#define CLI_TOP_TABLE_H

#include "cli/stat/results.h"
#include "event_counter.h"
#include "operation_rates.h"
#include "rates.h"
#include "screen.h"

struct table {
	const char *name; /* of the input, escaped */
	const struct rates *rates;
	const struct operation_rates *operations;
	const struct counts *counts;
	struct stat_results results; /* what stat prints of counts->stats; without a reader */
	uint64_t interval_ns;        /* 0: unknown */
	bool ended;                  /* these are the results of the whole trace */
};

void table_print(const struct table *t, const struct screen *s, struct output *o);
void table_print_json(const struct table *t, struct output *o);

#endif
