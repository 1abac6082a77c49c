/* SPDX-License-Identifier: BSD-2-Clause */
/* The bins over time as up to COLUMNS_MAX columns of a plot, each of equally many bins. */
#ifndef CLI_REPORT_COLUMNS_H
#define CLI_REPORT_COLUMNS_H

#include <stdbool.h>

#include <iotrace/analyze.h>

enum { COLUMNS_MAX = 560 };

/* Rates per second, and the mean of the outstanding requests. */
enum column_kind {
	COLUMN_READ, /* bytes */
	COLUMN_WRITTEN,
	COLUMN_BYTES,
	COLUMN_READS, /* requests */
	COLUMN_WRITES,
	COLUMN_OPERATIONS,
	COLUMN_OUTSTANDING,
	COLUMN_KINDS
};

struct plot_column {
	double begin_s, end_s; /* since the beginning of the trace */
	/* of the bins in it */
	double min[COLUMN_KINDS], mean[COLUMN_KINDS], max[COLUMN_KINDS];
};

struct columns {
	struct plot_column *column;
	size_t count, bins_per_column;
	double width_s; /* of a bin */
	double begin_s, end_s;
};

/* Returns false if out of memory. */
bool columns_make(struct columns *c, const struct iot_analyze_timeline *t);
double columns_max(const struct columns *c, enum column_kind kind);
void columns_free(struct columns *c);

#endif
