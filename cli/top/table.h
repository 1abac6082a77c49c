/* SPDX-License-Identifier: BSD-2-Clause */
/* The results of an interval, as a table on the screen. */
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
	struct stat_results
	    results; /* what stat prints of counts->stats; with a reader once it has ended */
	uint64_t interval_ns; /* 0: unknown */
	bool ended;           /* these are the results of the whole trace */
};

void table_print(const struct table *t, const struct screen *s, struct output *o);
/* Returns the number of rows to show, if the screen has space for them. */
size_t table_rows(const struct table *t);

#endif
