/* SPDX-License-Identifier: BSD-2-Clause */
/* Series without a period that resemble a given one, to find out how high peaks are by chance. */
#ifndef LIB_ANALYZE_OVER_TIME_SURROGATES_H
#define LIB_ANALYZE_OVER_TIME_SURROGATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "burst_runs.h"

struct surrogates {
	const double *bins;
	size_t n;
	const struct burst *bursts;
	size_t burst_count;
	bool dense; /* noise; else the bursts in another order */
	double idle_mean, mean, deviation, persistence;
	uint64_t random; /* state of splitmix64 */
	uint32_t *order; /* of bursts */
	uint64_t *cuts;
};

/* Compares n bins with these bursts. order and cuts have burst_count elements. */
void surrogates_begin(struct surrogates *s);
/* Writes the next one. */
void surrogates_next(struct surrogates *s, double *bins);

#endif
