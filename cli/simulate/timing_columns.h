/* SPDX-License-Identifier: BSD-2-Clause */
/* What is printed of a result: whole numbers by name, for JSON and TSV, and values of them. */
#ifndef CLI_SIMULATE_TIMING_COLUMNS_H
#define CLI_SIMULATE_TIMING_COLUMNS_H

#include "timing.h"

struct timing_column {
	const char *name;
	size_t member; /* offset in struct timing_result */
	bool of_cpus;  /* unknown for arrivals */
	size_t row;    /* offset in struct timing_row; NOT_OF_ROWS */
};

#define NOT_OF_ROWS SIZE_MAX

/* Ends with a column without a name. */
extern const struct timing_column timing_columns[];

static inline uint64_t timing_column_value(const struct timing_column *column,
					   const struct timing_result *r)
{
	uint64_t value;
	memcpy(&value, (const char *)r + column->member, sizeof value);
	return value;
}

/* Of a column that rows have. */
static inline uint64_t timing_column_of_row(const struct timing_column *column,
					    const struct timing_row *r)
{
	uint64_t value;
	memcpy(&value, (const char *)r + column->row, sizeof value);
	return value;
}

/* The share of busy time in the time of all CPUs; 1 if no time passed. */
double timing_utilisation(const struct timing_point *p);
/* A quantile of the latencies of arrivals, of which there is at least one. */
uint64_t timing_latency(const struct timing_result *r, double quantile);

#endif
