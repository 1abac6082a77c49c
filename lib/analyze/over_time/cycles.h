/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decides whether a series of bins is periodic: by its autocorrelation, compared with series
 * without a period, else by the intervals between bursts.
 */
#ifndef LIB_ANALYZE_OVER_TIME_CYCLES_H
#define LIB_ANALYZE_OVER_TIME_CYCLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cycle_span.h"

enum { CYCLE_BINS_MIN = 48, CYCLE_SURROGATES = 99 };

enum cycle_method { CYCLE_NONE, CYCLE_AUTOCORRELATION, CYCLE_INTERVALS };

struct cycle {
	enum cycle_method method;
	const char *reason;     /* of CYCLE_NONE */
	double period;          /* in bins, a multiple of 2^-16 */
	struct cycle_span span; /* unless CYCLE_NONE */
	double correlation;     /* the highest peak of the autocorrelation; 0: none */
	bool is_significant;
	bool dense; /* more than three quarters of the bins have more than a little */
	size_t bursts;
	double dispersion; /* of the intervals between bursts; < 0: not computed */
};

/*
 * Finds the period of n bins. events: the requests or operations of the series; a period has one in
 * each cycle. Returns false if out of memory.
 */
bool cycle_find(struct cycle *c, const uint64_t *bins, size_t n, uint64_t events);

#endif
