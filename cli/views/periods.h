/* SPDX-License-Identifier: BSD-2-Clause */
/* A period of `iotrace analyze --every`: a row for the trace, or for each process or file. */
#ifndef CLI_VIEWS_PERIODS_H
#define CLI_VIEWS_PERIODS_H

#include "cli/print/form.h"
#include "cli/top/rates.h"

enum { PERIOD_TOTAL = -1 }; /* in place of an enum iot_stats_by */

struct period_rows {
	int by;
	uint64_t start_ns, length_ns;
	const struct rate_row *rows;
	size_t count;
	bool is_first; /* headings precede its rows */
};

/* form: NULL for text. */
void period_print(struct output *out, const struct period_rows *p, const struct print_form *form);

#endif
