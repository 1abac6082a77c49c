/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rates of processes, or hosts, over time, as a matrix of up to HEAT_ROWS rows and HEAT_COLUMNS
 * columns.
 */
#ifndef CLI_REPORT_HEAT_H
#define CLI_REPORT_HEAT_H

#include "process_list.h"

enum { HEAT_ROWS = 512, HEAT_COLUMNS = 220 };

struct heat {
	size_t rows, columns;
	size_t processes, bins_per_column;
	double column_s, begin_s, end_s; /* of time */
	/* Of rows * columns, row by row: bytes per second, the mean of the processes of a row. */
	double *rate;
	double *row_bytes;           /* of all processes of a row; NaN: unknown */
	double *column_rate;         /* of all processes */
	struct process_label *first; /* of each row: its first process */
	const char *noun;            /* of labels */
	size_t unknown;              /* processes whose bytes are not all known */
	double max, min;             /* of the rates; min of those > 0 */
	bool by_bytes;               /* processes are in order of bytes, since rows have several */
};

/* p is sorted by rank, before and after. Returns false if out of memory. */
bool heat_make(struct heat *h, const struct iot_analyze_timeline *t, struct process_list *p);
void heat_free(struct heat *h);

#endif
