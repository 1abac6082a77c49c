/* SPDX-License-Identifier: BSD-2-Clause */
/* Periods as peaks of the autocorrelation, at widths of bins that double. */
#ifndef LIB_ANALYZE_OVER_TIME_AUTOCORRELATION_H
#define LIB_ANALYZE_OVER_TIME_AUTOCORRELATION_H

#include <stdbool.h>
#include <stddef.h>

enum {
	CORRELATION_BINS_MIN = 48,
	CORRELATION_LAGS = 36, /* in bins of one width; widths of 2^j bins have lags up to 31 */
	CORRELATION_PEAKS = 256,
	CORRELATION_CHANCE_BINS = 2048
};

struct correlation_peak {
	double lag; /* in bins */
	double height;
	unsigned octave; /* at bins of 2^octave */
	bool narrow;     /* not smoothed */
};

struct correlation {
	struct correlation_peak peaks[CORRELATION_PEAKS];
	size_t count;
	double highest;  /* of the smoothed peaks; 0: none */
	double shortest; /* the least lag of a peak */
};

/*
 * Finds the peaks of n bins at lags of at least `shortest`. scratch has 2 * (n + CORRELATION_LAGS)
 * elements.
 */
void correlation_find(struct correlation *c, const double *bins, size_t n, double shortest,
		      double *scratch);
/*
 * The period of which the lag of a peak is an estimate: from peaks at 2, 4, 8 ... periods as long
 * as they are at least half as high, so that the error becomes smaller. Overwrites scratch.
 */
double correlation_refine(const struct correlation_peak *peak, const double *bins, size_t n,
			  double *scratch);
/* Returns whether any peak with a lag of at least `shortest` reaches a height. */
bool correlation_reaches(const double *bins, size_t n, double shortest, double *scratch,
			 double height);

#endif
